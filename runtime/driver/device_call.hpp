// The body of an entry point that is about a device, of which there is one.
#pragma once

#include "runtime/driver/call.hpp"

namespace bankwise::cuda {

template <class Body>
driver_status with_device(int device, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state& s) { return device == 0 ? body(s) : cudaErrorInvalidDevice; }, entry);
}

}  // namespace bankwise::cuda
