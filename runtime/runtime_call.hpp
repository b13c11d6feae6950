// What every entry point of the CUDA runtime does: one thread at a time, errors remembered.
#pragma once

#include "operation.hpp"
#include "state.hpp"

namespace bankwise::cuda {

// The error that the thread's last failing call left.
extern constinit thread_local error last_error;

// The body of an entry point: one thread at a time, errors remembered, and after a fault nothing but that.
// The entry point is the function that calls, or the one that `entry` names.
template <class Body>
error guarded(Body body, const char* entry = __builtin_FUNCTION()) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (s.sticky != cudaSuccess) return last_error = s.sticky;
  s.driver_ready = true;
  use_primary_context(s);
  error e = cudaErrorUnknown;
  try {
    e = body(s);
  } catch (const std::bad_alloc&) {
    e = cudaErrorMemoryAllocation;
  } catch (const std::exception& x) {
    say(std::string("internal error: ") + x.what());
  }
  if (e != cudaSuccess) last_error = e;
  note_call(s, entry, e);
  return e;
}

// Now, or later if the stream is captured. Checks the stream.
inline error enqueue(stream* handle, operation o, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state& s) { return enqueue(s, handle, std::move(o)); }, entry);
}

}  // namespace bankwise::cuda
