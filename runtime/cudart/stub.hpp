// The body of every entry point that is not implemented yet.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

// Prints that the runtime does not have the entry point.
error not_supported(const char* name);

}  // namespace bankwise::cuda

#define STUB(name) \
  CUDA_API __attribute__((weak)) bankwise::cuda::error name() { return bankwise::cuda::not_supported(#name); }
