// Defines the driver's functions that need no body. If a program calls a missing function, the function prints that it
// is missing. Missing functions are weak symbols, so that scripts/list-entry-points finds them. Functions for the
// default stream of each thread jump to the plain function.
#include <mutex>

#include "base/format.hpp"
#include "runtime/device/state.hpp"
#include "runtime/device/thread_form.hpp"
#include "runtime/driver/abi.hpp"

namespace bankwise::cuda {

namespace {

driver_status not_supported(const char* name) {
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

}  // namespace

#define FORM_plain(name)
#define FORM_ptsz(name) THREAD_FORM(name##_ptsz, name)
#define FORM_ptds(name) THREAD_FORM(name##_ptds, name)
#define ENTRY(since, name, form, ...) FORM_##form(name)
#define MISSING(since, name, form)                                                     \
  CUDA_API __attribute__((weak)) driver_status name() { return not_supported(#name); } \
  FORM_##form(name)
#include "runtime/driver/entries.def"

}  // namespace bankwise::cuda
