// Makes external text safe for terminals and logs. External texts are names of kernels and files, cells of tables, and
// arguments. These characters are escaped: control characters, changes of the text direction, line breaks and invalid
// UTF-8:
//
//     "tr_pad" ESC "[2J" LF "::error::"     tr_pad\x1b[2J\n::error::
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// Returns a printable form of a name. The result is one line.
std::string printable(std::string_view name);
// Whether printable() keeps the name unchanged.
bool is_printable(std::string_view name);

// Returns a printable form of external text for a page. Escapes characters that are invisible or change the text
// direction. Keeps line breaks and tabs.
std::string printable_text(std::string_view text);

enum class colors : bool { none, kept };
// Returns a printable form of bankwise's own lines, which contain external names. Keeps line breaks and tabs. Keeps
// colours if requested. Changes lines that a CI system would read as a command (::error::, ##[error]).
std::string printable_lines(std::string_view text, colors painted = colors::none);

// Prints "bankwise: ", the text and a line break on standard error.
void tell(std::string_view text);

}  // namespace bankwise
