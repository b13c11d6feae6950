// The manual page bankwise(1), made from the tables of flags.hpp.
#pragma once

#include <string>

namespace bankwise::cli {

// roff with the macros of man(7).
std::string manual();
// The same, as a page of docs/reference/.
std::string manual_in_markdown();

}  // namespace bankwise::cli
