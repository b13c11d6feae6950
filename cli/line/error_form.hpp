// Prints an error as text for users. With BANKWISE_ERRORS=json, prints it as JSON for programs such as our Python
// package.
#pragma once

#include "base/diagnostic.hpp"

namespace bankwise::cli {

// Prints the error on standard error.
void tell_error(const diagnostic& d);

}  // namespace bankwise::cli
