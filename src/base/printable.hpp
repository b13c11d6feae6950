// Text from outside made fit for terminals and logs: what a terminal obeys, what turns the direction of text, what
// breaks a line and what is no UTF-8 is spelled out. Names of kernels and files, cells of tables and arguments are from
// outside.
//
//     "tr_pad" ESC "[2J" LF "::error::"     tr_pad\x1b[2J\n::error::
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// A name, on one line.
std::string printable(std::string_view name);
// True: it is what printable makes of it.
bool is_printable(std::string_view name);

// A text of others for a page: what a reader would not see, or would see elsewhere, is spelled out; line breaks and
// tabs stay.
std::string printable_text(std::string_view text);

enum class colors : bool { none, kept };
// Lines of ours, with names among them: line breaks, tabs and, where they are asked for, colours stay. No line begins
// as a command to a CI does (::error::, ##[error]).
std::string printable_lines(std::string_view text, colors painted = colors::none);

// "bankwise: ", the lines and a line break, to standard error.
void tell(std::string_view text);

}  // namespace bankwise
