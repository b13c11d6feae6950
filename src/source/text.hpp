// Source code as text. This file removes comments, and finds words, lists and lines, without a C++ parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::source {

inline constexpr std::size_t most_statement = 1000;  // largest number of characters that are searched for one statement

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Replaces comments by blanks. Line numbers do not change.
std::string without_comments(std::string_view source);
// Replaces comments and the contents of quotes by blanks.
std::string code_alone(std::string_view source);
// Returns the position of line n, from 1. If the source has fewer lines, returns the end of the source.
std::size_t begin_of_line(std::string_view code, std::uint32_t n);
bool stands_at(std::string_view s, std::size_t at, std::string_view word);
// Returns the last name in a text: "float* row" -> "row".
std::string_view last_name(std::string_view text);
// Splits "a<b, c>, d" into "a<b, c>" and " d". Commas inside of brackets do not split the text. `brackets` contains the
// opening and closing brackets.
std::vector<std::string_view> split_outside(std::string_view s, char separator = ',',
                                            std::string_view brackets = "<>()[]");
// Returns all names in a text: "As[ty * 8]" -> "As", "ty".
std::vector<std::string_view> names_in(std::string_view code);

}  // namespace bankwise::source
