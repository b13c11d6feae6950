// The frame of every entry point of the CUDA driver: it runs one thread at a time and returns the driver's statuses.
#pragma once

#include <mutex>

#include "base/format.hpp"
#include "runtime/device/context.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/device/state.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

// Converts an error of the runtime to a status of the driver. The number is the same, except for errors that only the
// runtime has.
inline driver_status status_of(error e) {
  switch (e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    default: return static_cast<driver_status>(e);
  }
}

// Runs the body of the entry point `entry`. Before cuInit, returns an error instead. After a kernel has faulted, every
// call returns the status of this fault.
template <class Body>
driver_status driver_call(const char* entry, Body body) {
  const host_time::call counted;
  state& s = the_state();
  const thread_call_end end;
  const std::lock_guard lock(s.mutex);
  if (!s.driver_ready) {
    note_call(s, entry, CUDA_ERROR_NOT_INITIALIZED);
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (s.sticky != cudaSuccess) return status_of(s.sticky);
  try {
    const driver_status status = status_of(body(s));
    note_call(s, entry, status);
    return status;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& x) {
    say(formatted("internal error: {}. Please report this message to the project", x.what()));
    return CUDA_ERROR_UNKNOWN;
  }
}

// Runs the body of an entry point if a context is current. Otherwise returns an error.
template <class Body>
driver_status context_call(const char* entry, Body body) {
  return driver_call(entry,
                     [&](state& s) { return current_context() == nullptr ? cudaErrorDeviceUninitialized : body(s); });
}

// Runs the body of an entry point that has a stream as a parameter. Only the default streams need a current context,
// because every other stream has its own context.
template <class Body>
driver_status stream_call(const char* entry, const stream* on, Body body) {
  const bool is_default = reinterpret_cast<std::uintptr_t>(on) <= 2 || on == until_done;
  return is_default ? context_call(entry, body) : driver_call(entry, body);
}

// Runs the body of an entry point that has a device as a parameter. Device 0 is the only device.
template <class Body>
driver_status device_call(const char* entry, int device, Body body) {
  return driver_call(entry, [&](state& s) { return device == 0 ? body(s) : cudaErrorInvalidDevice; });
}

template <class T>
error put(T* where, T value) {
  if (where == nullptr) return cudaErrorInvalidValue;
  *where = value;
  return cudaSuccess;
}

}  // namespace bankwise::cuda
