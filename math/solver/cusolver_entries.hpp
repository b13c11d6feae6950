// Defines entry points of cuSOLVER. Each entry point declares the memory that it reads and writes, and passes its
// operation to the stream.
#pragma once

#include "math/solver/eigenvalues.hpp"

namespace bankwise::math {

inline int solver_status_of(status s) {
  switch (s) {
    case success: return solved;
    case not_initialized: return solver_not_initialized;
    case alloc_failed: return solver_alloc_failed;
    case invalid_value: return solver_invalid_value;
    case not_supported: return solver_not_supported;
    case zero_pivot:
    case execution_failed: break;
  }
  return solver_execution_failed;
}

// Sets the size of an unused work area. The size is not 0, because programs may check that their pointer to the work
// area is not null.
inline status work_of_one(int* elements) {
  if (elements == nullptr) return invalid_value;
  *elements = 1;
  return success;
}
inline status work_of_one(std::size_t* bytes) {
  if (bytes == nullptr) return invalid_value;
  *bytes = 16;
  return success;
}
inline status work_of_one(std::size_t* on_device, std::size_t* on_host) {
  if (on_device == nullptr || on_host == nullptr) return invalid_value;
  *on_device = 16;
  *on_host = 0;
  return success;
}

// Calls body(T()). T is the C++ type for the element type `type`.
template <class Body>
status with_type(int type, Body body) {
  switch (type) {
    case f32: return body(float());
    case f64: return body(double());
    case c32: return body(cfloat());
    case c64: return body(cdouble());
    default: return invalid_value;
  }
}
// Casts a pointer. The result points to elements of type T, or to their real parts.
template <class T>
T* as(T, void* p) {
  return static_cast<T*>(p);
}
template <class T>
const T* as(T, const void* p) {
  return static_cast<const T*>(p);
}
template <class T>
real<T>* as_real(T, void* p) {
  return static_cast<real<T>*>(p);
}
template <class T>
real<T> number_at(T, const void* p) {
  return p == nullptr ? real<T>() : *static_cast<const real<T>*>(p);
}

}  // namespace bankwise::math

#define ENTRY(name, parameters, call)                                                                            \
  CUDA_API int name parameters {                                                                                 \
    return bankwise::math::solver_status_of(bankwise::math::attempt(                                             \
        h, #name, [&]([[maybe_unused]] bankwise::math::routine& r) -> bankwise::math::status { return call; })); \
  }
