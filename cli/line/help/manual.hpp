// The manual page bankwise(1), made from the tables of flags and verbs.
#pragma once

#include <string>

namespace bankwise::cli {

// Returns the manual in roff, with the macros of man(7).
std::string manual();
// Returns the manual as Markdown, for docs/reference/.
std::string manual_in_markdown();

}  // namespace bankwise::cli
