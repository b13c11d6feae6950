// What every entry point of the CUDA runtime does: one thread at a time, errors remembered.
#pragma once

#include "runtime/device/state.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

// The error that the thread's last failing call left.
extern constinit thread_local error last_error;

// What the body answers, in the primary context: exceptions as errors, and after a fault nothing but that. The lock is held.
template <class Body>
error answer_of(state& s, Body body) {
  if (s.sticky != cudaSuccess) return s.sticky;
  s.driver_ready = true;
  use_primary_context(s);
  try {
    return body(s);
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& x) {
    say(std::string("internal error: ") + x.what());
  }
  return cudaErrorUnknown;
}

// The body of an entry point: one thread at a time, errors remembered. The entry point is the function that calls, or the
// one that `entry` names.
template <class Body>
error guarded(Body body, const char* entry = __builtin_FUNCTION()) {
  state& s = the_state();
  const thread_call_end end;
  const std::lock_guard lock(s.mutex);
  const bool failed_before = s.sticky != cudaSuccess;
  const error e = answer_of(s, body);
  if (e != cudaSuccess) last_error = e;
  if (!failed_before) note_call(s, entry, e);
  return e;
}

// Now, or later if the stream is captured. Checks the stream.
inline error enqueue(stream* handle, operation o, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state& s) { return enqueue(s, handle, std::move(o)); }, entry);
}

}  // namespace bankwise::cuda
