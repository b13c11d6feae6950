// Records and prints calls of driver functions that are not implemented yet.
#include <mutex>

#include "base/format.hpp"
#include "runtime/device/state.hpp"
#include "runtime/driver/entries/missing.hpp"

namespace bankwise::cuda {

driver_status report_missing(const char* name) {
  {
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    note_call(s, name, CUDA_ERROR_NOT_SUPPORTED);
  }
  say(
      formatted("bankwise's CUDA driver does not have the function {} yet, so the call returns "
                "CUDA_ERROR_NOT_SUPPORTED",
                name));
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace bankwise::cuda
