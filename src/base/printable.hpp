// Makes text from outside safe for terminals and logs: control characters, changes of the text direction, line breaks
// and invalid UTF-8 are escaped. Such text is names of kernels and files, cells of tables, and arguments.
//
//     "tr_pad" ESC "[2J" LF "::error::"     tr_pad\x1b[2J\n::error::
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// Makes a name printable, on one line.
std::string printable(std::string_view name);
// True if printable would not change it.
bool is_printable(std::string_view name);

// External text for a page: characters that are invisible or change the order are escaped; line breaks and tabs stay.
std::string printable_text(std::string_view text);

enum class colors : bool { none, kept };
// For our own lines, which contain names: line breaks, tabs and, on request, colours stay. No line begins like a
// command to a CI (::error::, ##[error]).
std::string printable_lines(std::string_view text, colors painted = colors::none);

// Prints "bankwise: ", the text and a line break to standard error.
void tell(std::string_view text);

}  // namespace bankwise
