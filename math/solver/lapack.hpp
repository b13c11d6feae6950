// Calls a LAPACK of the host. It factors matrices and computes eigenvalues for cuSOLVER. The library is OpenBLAS,
// liblapack, or the library that numpy has loaded into the process. The first call searches for the library. Matrices
// are stored by columns.
//
//     index_t info = lapack<double>("potrf", 'L', n, a, lda);                        dpotrf_("L", &n, a, &lda, &info)
//     lapack_with_work<cfloat>("orgqr", {m, n, n}, a, lda, tau)                     cungqr_, and its work area
//
// The library uses only the calling thread, so that results are the same on every machine.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "math/common/host_library.hpp"
#include "math/common/routine.hpp"

namespace bankwise::math {

// Returns the host's LAPACK. If there is none, returns an empty library, and the first call prints how to install a
// LAPACK.
const host_library& the_lapack();
inline bool has_long_integers() { return the_lapack().has_long_integers; }

// Integers in memory, with the width that the library uses.
class lapack_integers {
 public:
  explicit lapack_integers(index_t count) : words_(static_cast<std::size_t>(std::max<index_t>(count, 1))) {}
  template <class I>
  lapack_integers(const I* from, index_t count) : lapack_integers(count) {
    for (index_t i = 0; i < count; ++i) set(i, from[i]);
  }
  index_t operator[](index_t i) const { return has_long_integers() ? words_[at(i)] : shorts()[i]; }
  void set(index_t i, index_t value) {
    if (has_long_integers())
      words_[at(i)] = value;
    else
      shorts()[i] = static_cast<std::int32_t>(value);
  }
  std::int64_t* data() { return words_.data(); }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  std::int32_t* shorts() { return reinterpret_cast<std::int32_t*>(words_.data()); }
  const std::int32_t* shorts() const { return reinterpret_cast<const std::int32_t*>(words_.data()); }
  std::vector<std::int64_t> words_;
};

namespace detail {
// Returns the name of a function for complex matrices. A function for symmetric or orthogonal matrices has another name
// for Hermitian or unitary matrices.
std::string name_for_complex(std::string_view name);
template <class T>
void* function_of(std::string_view name) {
  const std::string full = letter(T()) + (is_complex_type<T> ? name_for_complex(name) : std::string(name));
  void* const found = the_lapack().find(full);
  if (found == nullptr)
    throw std::runtime_error(formatted("the library {} does not have the function {}", the_lapack().name, full));
  return found;
}
}  // namespace detail

// Calls a function of LAPACK, and returns its info.
template <class T, class... A>
int lapack(std::string_view name, const A&... a) {
  index_t info = 0;
  call_fortran(detail::function_of<T>(name), a..., &info);
  return static_cast<int>(static_cast<std::int32_t>(info));
}

inline index_t asked_for(double elements) { return std::max<index_t>(1, static_cast<index_t>(elements * (1 + 1e-6))); }

// Calls a function whose last arguments are a work area, its length, and info.
template <class T, class... A>
int lapack_with_work(std::string_view name, const A&... a) {
  T first{};
  if (const int info = lapack<T>(name, a..., &first, index_t{-1}); info != 0) return info;
  std::vector<T> work(static_cast<std::size_t>(asked_for(std::real(first))));
  return lapack<T>(name, a..., work.data(), static_cast<index_t>(work.size()));
}

// Runs the body of an entry point that needs LAPACK.
template <class F>
status perform_by_lapack(routine& r, F compute) {
  if (the_lapack().library == nullptr) r.refuse(not_supported);
  r.by(the_lapack().name);
  return r.perform([=](const view& v) {
    const library_alone alone(the_lapack());
    compute(v);
  });
}

}  // namespace bankwise::math
