// Default streams of each thread: cudaStreamPerThread, and the default stream of calls that were compiled with nvcc
// --default-stream per-thread. Such calls go to functions whose names end with _ptsz or _ptds.
#pragma once

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

// The calling thread's own default stream, made on first use.
stream* thread_stream(state& s);
// Whether the call that this thread executes has the form for each thread.
bool is_thread_call();
// Call it at the end of a call: the next call has the plain form, unless it sets the other.
class thread_call_end {
 public:
  thread_call_end() = default;
  ~thread_call_end();
  thread_call_end(const thread_call_end&) = delete;
  thread_call_end& operator=(const thread_call_end&) = delete;
};

// The functions _ptsz and _ptds begin with this, and then jump to the plain function (thread_form.hpp).
void begin_thread_call();

}  // namespace bankwise::cuda
