// Defines the driver's functions that need no body. If a program calls a missing function, the function prints that it
// is missing. Missing functions are weak symbols, so that scripts/list-entry-points finds them. Functions for the
// default stream of each thread jump to the plain function.
#include "runtime/driver/entries/missing.hpp"

#include "runtime/device/thread_form.hpp"

namespace bankwise::cuda {

#define FORM_plain(name)
#define FORM_ptsz(name) THREAD_FORM(name##_ptsz, name)
#define FORM_ptds(name) THREAD_FORM(name##_ptds, name)
#define ENTRY(since, name, form, ...) FORM_##form(name)
#define MISSING(since, name, form)                                                      \
  CUDA_API __attribute__((weak)) driver_status name() { return report_missing(#name); } \
  FORM_##form(name)
#include "runtime/driver/entries/entries.def"

}  // namespace bankwise::cuda
