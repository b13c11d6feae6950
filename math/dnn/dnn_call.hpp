// What cuDNN's entry points have in common: handles, statuses, and messages about unsupported calls.
//
//     CUDA_API int cudnnScaleTensor(handle* h, const tensor* y, void* at, const void* alpha) {
//       if (y == nullptr) return bad_param_null;
//       return perform(h, "cudnnScaleTensor", [&](routine& r) { ... r.perform(...); });
//     }
#pragma once

#include <string>

#include "math/dnn/dnn_tensor.hpp"

namespace bankwise::dnn {

using math::handle;

inline status status_of(math::status s) {
  switch (s) {
    case math::success: return success;
    case math::not_initialized: return not_initialized;
    case math::alloc_failed: return alloc_failed;
    case math::invalid_value: return bad_param;
    case math::not_supported: return not_supported;
    default: return execution_failed;
  }
}

// Prints the text `what` if it was not printed before, and stores the text for cudnnGetLastErrorString. Returns
// `answer`.
status refuse(const std::string& what, status answer = not_supported);
// Like the function above, for an error of the program. `what` is then a complete sentence.
status reject(const std::string& what, status answer);

template <class Body>
status perform(const handle* h, const char* name, Body body) {
  return status_of(math::attempt(h, name, body));
}

template <class T>
status create(T** made) {
  if (made == nullptr) return bad_param_null;
  *made = new (std::nothrow) T();
  return *made == nullptr ? alloc_failed : success;
}
template <class T>
status destroy(T* what) {
  delete what;
  return success;
}
// Sets a size to 0, for functions that need no workspace and no reserve space.
inline status no_bytes(std::size_t* bytes) {
  if (bytes == nullptr) return bad_param_null;
  *bytes = 0;
  return success;
}
template <class T, class U>
void give(T* where, U value) {
  if (where != nullptr) *where = static_cast<T>(value);
}

}  // namespace bankwise::dnn
