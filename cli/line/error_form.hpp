// Prints an error: as text for users or, with BANKWISE_ERRORS=json, as JSON for a program such as our Python package.
#pragma once

#include "base/diagnostic.hpp"

namespace bankwise::cli {

// Prints to standard error.
void tell_error(const diagnostic& d);

}  // namespace bankwise::cli
