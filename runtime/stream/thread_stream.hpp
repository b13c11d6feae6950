// Default streams of each thread: cudaStreamPerThread, and the default stream of code that was compiled with nvcc
// --default-stream per-thread. Such code calls functions whose names end with _ptsz or _ptds.
#pragma once

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

// The default stream of the calling thread, made on first use.
stream* thread_stream(state& s);
// Whether this thread executes a call in the form for the default stream of each thread.
bool is_thread_call();
// Ends a call when it is destroyed. The next call has the plain form, unless it begins with begin_thread_call().
class thread_call_end {
 public:
  thread_call_end() = default;
  ~thread_call_end();
  thread_call_end(const thread_call_end&) = delete;
  thread_call_end& operator=(const thread_call_end&) = delete;
};

// Called first by the functions _ptsz and _ptds, which then jump to the plain function (thread_form.hpp).
void begin_thread_call();

}  // namespace bankwise::cuda
