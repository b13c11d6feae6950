// Objects that math libraries create and return by address: handles, descriptors, parameters. cuBLAS, cuSOLVER and
// cuSPARSE have the same statuses for success and for a missing handle. For a wrong value and for missing memory, they
// have different statuses:
//
//     using library = statuses<solver_invalid_value, solver_alloc_failed>;
//     CUDA_API int cusolverDnCreate(handle** made) { return library::make(made); }
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "math/common/library_version.hpp"
#include "math/common/math_abi.hpp"

namespace bankwise::math {

template <int wrong_value, int no_memory>
struct statuses {
  template <class T>
  static int put(T* where, std::type_identity_t<T> value) {
    if (where == nullptr) return wrong_value;
    *where = std::move(value);
    return success;
  }
  template <class T>
  static int make(T** made, std::type_identity_t<std::remove_const_t<T>> value = {}) {
    if (made == nullptr) return wrong_value;
    *made = new (std::nothrow) std::remove_const_t<T>(std::move(value));
    return *made == nullptr ? no_memory : success;
  }
  template <class T>
  static int destroy(T* made) {
    delete made;
    return success;
  }
  // Deletes a handle. A null handle is an error.
  template <class H>
  static int close(H* h) {
    return h == nullptr ? int{not_initialized} : destroy(h);
  }
  template <class H, class T, class C>
  static int set(H* h, T C::*field, std::type_identity_t<T> value) {
    if (h == nullptr) return not_initialized;
    h->*field = value;
    return success;
  }
  template <class H, class T, class C>
  static int get(const H* h, T C::*field, T* to) {
    return h == nullptr ? int{not_initialized} : put(to, h->*field);
  }
  // Writes a part of the version. `which` is 0 for major, 1 for minor, 2 for patch.
  static int put_version(int which, int* value, version_number v) {
    if (which < 0 || which > 2) return wrong_value;
    return put(value, part_of(v, which));
  }
};

struct status_words {
  int number;
  const char *name, *text;
};
template <class All>
const status_words* find_status(const All& all, int number) {
  for (const status_words& w : all)
    if (w.number == number) return &w;
  return nullptr;
}

}  // namespace bankwise::math
