// The body of every driver function that is not implemented yet.
#pragma once

#include "runtime/device/driver_abi.hpp"

namespace bankwise::cuda {

// Records the call, and prints that the driver does not have the function.
driver_status report_missing(const char* name);

}  // namespace bankwise::cuda
