// Text from outside in GitHub's Markdown, such as names of kernels and source lines, so that no character acts as markup.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bankwise {

// Formats code, for a cell of a table. Code with more than `most` characters loses its end. A code span is not enough: a
// | ends the cell, even after a backslash. Returns an empty string for blanks.
std::string code_span(const std::string& text, std::size_t most = 100);
// Formats a sentence that may contain text from outside. Characters that may be markup become character references, and
// line breaks become spaces.
std::string escaped_sentence(const std::string& text);
// Returns a name from outside, such as a GPU's, for a sentence. A name that may contain markup becomes code.
std::string plain_or_code(const std::string& name);
// Returns a row of a table: "| a | b |", with a line break.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace bankwise
