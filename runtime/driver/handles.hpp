// Modules and functions by the handles that programs have of them.
#pragma once

#include "runtime/driver/call.hpp"
#include "runtime/launch/launch.hpp"

namespace bankwise::cuda {

// A loaded one, or null.
inline module* find_module(state& s, const module* handle) {
  for (const auto& m : s.modules)
    if (m.get() == handle && load(s, *m) == cudaSuccess) return m.get();
  return nullptr;
}

template <class Body>
driver_status with_module(const module* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) {
        module* m = find_module(s, handle);
        return m != nullptr ? body(s, *m) : cudaErrorInvalidResourceHandle;
      },
      entry);
}

template <class Body>
driver_status with_function(const function* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) {
        function* f = nullptr;
        const error e = find_kernel(s, handle, f);
        return e == cudaSuccess ? body(s, *f) : e;
      },
      entry);
}

}  // namespace bankwise::cuda
