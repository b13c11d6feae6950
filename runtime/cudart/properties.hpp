// The device as cudaGetDeviceProperties describes it.
#pragma once

#include "runtime/cudart/runtime_abi.hpp"

namespace bankwise::cuda {

void describe(device_properties& p);

}  // namespace bankwise::cuda
