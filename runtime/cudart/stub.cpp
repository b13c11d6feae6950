// Records and prints calls of entry points that are not implemented yet.
#include "runtime/cudart/stub.hpp"

#include <mutex>

#include "base/format.hpp"
#include "runtime/cudart/runtime_call.hpp"

namespace bankwise::cuda {

error not_supported(const char* name) {
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
