// The frame of every entry point of the CUDA runtime: it runs one thread at a time and records errors.
#pragma once

#include "base/format.hpp"
#include "runtime/device/state.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

extern constinit thread_local error last_error;

// Runs the body in the primary context. Exceptions become errors. After a kernel has faulted, every call returns the
// error of this fault. The caller holds the lock.
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
    say(formatted("internal error: {}. Please report this message to the project", x.what()));
  }
  return cudaErrorUnknown;
}

// Runs the body of the entry point `entry`, one thread at a time, and stores its error in `last_error`.
template <class Body>
error guarded(const char* entry, Body body) {
  const host_time::call counted;
  state& s = the_state();
  const thread_call_end end;
  const std::lock_guard lock(s.mutex);
  const bool failed_before = s.sticky != cudaSuccess;
  const error e = answer_of(s, body);
  if (e != cudaSuccess) last_error = e;
  if (!failed_before) note_call(s, entry, e);
  return e;
}

// Runs the body of a query of the device. The query needs no context, and earlier errors do not change its result. The
// call still initialises the driver.
template <class Body>
error guarded_answer(const char* entry, Body body) {
  const host_time::call counted;
  state& s = the_state();
  const thread_call_end end;
  const std::lock_guard lock(s.mutex);
  s.driver_ready = true;
  const error e = body();
  note_call(s, entry, e);
  return e == cudaSuccess ? e : last_error = e;
}

template <class T, class Value>
error put(T* where, const Value& value) {
  if (where == nullptr) return cudaErrorInvalidValue;
  *where = value;
  return cudaSuccess;
}

}  // namespace bankwise::cuda
