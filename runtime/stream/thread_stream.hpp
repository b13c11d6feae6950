// The default stream of each thread: cudaStreamPerThread, and stream 0 in code that nvcc compiled with --default-stream
// per-thread. This code calls functions whose names end with _ptsz or _ptds.
#pragma once

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

// The handle of the default stream, for calls that wait until their operation has ended (enqueue() in operation.hpp).
inline stream* const until_done = reinterpret_cast<stream*>(~std::uintptr_t{0});
stream* find_stream(state& s, stream* handle);  // returns null if there is no stream with this handle

// The default stream of the calling thread, made on first use.
stream* thread_stream(state& s);
// Whether this thread executes a call of a function that uses the thread's default stream.
bool is_thread_call();
// The destructor marks the end of a call that uses the thread's default stream. The next call is a plain call, unless
// it begins with begin_thread_call().
class thread_call_end {
 public:
  thread_call_end() = default;
  ~thread_call_end();
  thread_call_end(const thread_call_end&) = delete;
  thread_call_end& operator=(const thread_call_end&) = delete;
};

// Called first by the functions whose names end with _ptsz or _ptds. These functions then jump to the plain function
// (thread_form.hpp).
void begin_thread_call();

}  // namespace bankwise::cuda
