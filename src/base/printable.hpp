// Makes external text safe for terminals and logs. External texts are names of kernels and files, cells of tables, and
// arguments. Control characters, changes of the text direction, line breaks and invalid UTF-8 are escaped:
//
//     "tr_pad" ESC "[2J" LF "::error::"     tr_pad\x1b[2J\n::error::
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// Returns a printable form of a name, in one line.
std::string printable(std::string_view name);
// Whether printable() would not change the name.
bool is_printable(std::string_view name);

// Returns a printable form of external text for a page. Escapes characters that are invisible or change the text
// direction. Keeps line breaks and tabs.
std::string printable_text(std::string_view text);

enum class colors : bool { none, kept };
// Returns a printable form of bankwise's own lines, which contain external names. Keeps line breaks and tabs, and if
// requested colours. Changes lines that begin like a command for a CI system (::error::, ##[error]).
std::string printable_lines(std::string_view text, colors painted = colors::none);

// Prints "bankwise: ", the text and a line break on standard error.
void tell(std::string_view text);

}  // namespace bankwise
