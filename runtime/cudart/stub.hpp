// The body of every entry point that is not implemented yet.
#pragma once

#include <mutex>

#include "base/format.hpp"
#include "runtime/cudart/runtime_call.hpp"

namespace bankwise::cuda {

inline error not_supported(const char* name) {
  {
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    note_call(s, name, cudaErrorNotSupported);
  }
  say(formatted("bankwise's CUDA runtime does not have the function {} yet, so the call returns cudaErrorNotSupported",
                name));
  return last_error = cudaErrorNotSupported;
}

}  // namespace bankwise::cuda

#define STUB(name) \
  CUDA_API __attribute__((weak)) bankwise::cuda::error name() { return bankwise::cuda::not_supported(#name); }
