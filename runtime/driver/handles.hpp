// Finds modules, functions and streams by the handles that a program passes. Unknown handles are errors.
#pragma once

#include "runtime/driver/call.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/stream/stream.hpp"

namespace bankwise::cuda {

// Loads the module and returns it. Returns null if there is no such module or it cannot be loaded.
inline module* find_module(state& s, const module* handle) {
  for (const auto& m : s.modules)
    if (m.get() == handle && load(s, *m) == cudaSuccess) return m.get();
  return nullptr;
}

template <class Body>
driver_status with_module(const char* entry, const module* handle, Body body) {
  return driver_call(entry, [&](state& s) {
    module* m = find_module(s, handle);
    return m != nullptr ? body(s, *m) : cudaErrorInvalidResourceHandle;
  });
}

template <class Body>
driver_status with_function(const char* entry, const function* handle, Body body) {
  return driver_call(entry, [&](state& s) {
    function* f = nullptr;
    const error e = find_kernel(s, handle, f);
    return e == cudaSuccess ? body(s, *f) : e;
  });
}

template <class Body>
driver_status with_stream(const char* entry, stream* handle, Body body) {
  return stream_call(entry, handle, [&](state& s) { return on_stream(s, handle, body); });
}

}  // namespace bankwise::cuda
