// Fills the properties that cudaGetDeviceProperties returns.
#pragma once

#include "runtime/cudart/runtime_abi.hpp"

namespace bankwise::cuda {

void describe(device_properties& p);

}  // namespace bankwise::cuda
