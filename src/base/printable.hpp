// Makes external text safe for terminals and logs. Control characters, changes of the text direction, line breaks and
// invalid UTF-8 are escaped. External texts are names of kernels and files, cells of tables, and arguments.
//
//     "tr_pad" ESC "[2J" LF "::error::"     tr_pad\x1b[2J\n::error::
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// Makes a name printable, on one line.
std::string printable(std::string_view name);
// Whether printable() would not change the name.
bool is_printable(std::string_view name);

// Makes external text printable on a page. Characters that are invisible or change the text direction are escaped. Line
// breaks and tabs are kept.
std::string printable_text(std::string_view text);

enum class colors : bool { none, kept };
// Makes bankwise's own lines printable, because they contain external names. Line breaks and tabs are kept, and colours
// on request. No line begins like a command for a CI (::error::, ##[error]).
std::string printable_lines(std::string_view text, colors painted = colors::none);

// Prints "bankwise: ", the text and a line break to standard error.
void tell(std::string_view text);

}  // namespace bankwise
