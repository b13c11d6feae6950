// The manual page bankwise(1), from the tables of flags.hpp.
#pragma once

#include <string>

namespace bankwise::cli {

// Returns the manual in roff, with the macros of man(7).
std::string manual();
// Returns the manual as a page of docs/reference/.
std::string manual_in_markdown();

}  // namespace bankwise::cli
