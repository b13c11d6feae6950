// The body of every entry point of the driver that is not there yet.
#pragma once

#include <mutex>

#include "runtime/device/state.hpp"
#include "runtime/driver/abi.hpp"

namespace bankwise::cuda {

inline driver_status not_supported(const char* name) {
  {
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    note_call(s, name, CUDA_ERROR_NOT_SUPPORTED);
  }
  say(std::string(name) + " is not in bankwise's CUDA driver yet: it returns CUDA_ERROR_NOT_SUPPORTED");
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace bankwise::cuda

#define STUB(name) \
  CUDA_API __attribute__((weak)) bankwise::cuda::driver_status name() { return bankwise::cuda::not_supported(#name); }
