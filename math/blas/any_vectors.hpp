// cuBLAS's operations on vectors with elements of any type, and its batched products of a matrix and a vector.
#pragma once

#include <vector>

#include "math/common/general_product.hpp"
#include "math/common/host_blas.hpp"

namespace bankwise::math {

inline product_shape mixed(int of_a, int of_b, index_t m, index_t n, index_t k, int a_type, index_t lda, int b_type,
                           index_t ldb, int c_type, index_t ldc, int computed) {
  return {static_cast<operation>(of_a),
          static_cast<operation>(of_b),
          m,
          n,
          k,
          a_type,
          b_type,
          c_type,
          lda,
          ldb,
          ldc,
          computed};
}

struct any_vector {
  place<std::byte> where;
  int type = f32;
  index_t count = 0, step = 1;
  std::byte* at(const view& v, index_t i) const {
    return where.at(v) + (step >= 0 ? i : i + 1 - count) * step * bytes_of(type);
  }
};
inline any_vector vector_of(routine& r, const void* p, int type, index_t count, index_t step, bool writes) {
  if (bytes_of(type) == 0) r.refuse(not_supported);
  const index_t bytes = count <= 0 ? 0 : ((count - 1) * std::abs(step) + 1) * bytes_of(type);
  if (writes) return {r.writes_bytes(const_cast<void*>(p), bytes), type, count, step};
  const auto in = r.reads_bytes(p, bytes);
  return {{in.address, in.bytes, in.of_host}, type, count, step};
}
// Declares a result of any type. The result is in host or device memory.
inline place<std::byte> result_of(routine& r, void* p, int type) {
  switch (bytes_of(type)) {
    case 2: {
      const auto to = r.result(static_cast<std::uint16_t*>(p));
      return {to.address, to.bytes, to.of_host};
    }
    case 4: {
      const auto to = r.result(static_cast<float*>(p));
      return {to.address, to.bytes, to.of_host};
    }
    case 8: {
      const auto to = r.result(static_cast<double*>(p));
      return {to.address, to.bytes, to.of_host};
    }
    case 16: {
      const auto to = r.result(static_cast<cdouble*>(p));
      return {to.address, to.bytes, to.of_host};
    }
    default: r.refuse(not_supported); return {};
  }
}

inline status axpy_mixed(routine& r, index_t n, const void* alpha, int alpha_type, const void* x, int x_type,
                         index_t incx, void* y, int y_type, index_t incy) {
  if (n <= 0) return success;
  const auto by = parameter_of(r, alpha, alpha_type);
  const auto from = vector_of(r, x, x_type, n, incx, false), to = vector_of(r, y, y_type, n, incy, true);
  return r.perform([=](const view& v) {
    const cdouble factor = by.at(v);
    for (index_t i = 0; i < n; ++i)
      put_number(to.at(v, i), y_type,
                 factor * number_of<cdouble>(from.at(v, i), x_type) + number_of<cdouble>(to.at(v, i), y_type));
  });
}

inline status scale_mixed(routine& r, index_t n, const void* alpha, int alpha_type, void* x, int x_type, index_t incx) {
  if (n <= 0 || incx <= 0) return success;
  const auto by = parameter_of(r, alpha, alpha_type);
  const auto to = vector_of(r, x, x_type, n, incx, true);
  return r.perform([=](const view& v) {
    const cdouble factor = by.at(v);
    for (index_t i = 0; i < n; ++i) put_number(to.at(v, i), x_type, factor * number_of<cdouble>(to.at(v, i), x_type));
  });
}

inline status dot_mixed(routine& r, bool conjugates, index_t n, const void* x, int x_type, index_t incx, const void* y,
                        int y_type, index_t incy, void* result, int result_type) {
  const auto one = vector_of(r, x, x_type, n, incx, false), other = vector_of(r, y, y_type, n, incy, false);
  const auto to = result_of(r, result, result_type);
  return r.perform([=](const view& v) {
    cdouble sum = 0;
    for (index_t i = 0; i < n; ++i)
      sum += conjugate_if(conjugates, number_of<cdouble>(one.at(v, i), x_type)) *
             number_of<cdouble>(other.at(v, i), y_type);
    put_number(to.at(v), result_type, sum);
  });
}

inline status norm_mixed(routine& r, index_t n, const void* x, int x_type, index_t incx, void* result,
                         int result_type) {
  const auto from = vector_of(r, x, x_type, incx <= 0 ? 0 : n, incx, false);
  const auto to = result_of(r, result, result_type);
  return r.perform([=](const view& v) {
    double sum = 0;
    for (index_t i = 0; i < from.count; ++i) sum += std::norm(number_of<cdouble>(from.at(v, i), x_type));
    put_number(to.at(v), result_type, cdouble(std::sqrt(sum)));
  });
}

template <class T>
void multiply_vector_now(int o, index_t m, index_t n, T alpha, const T* a, index_t lda, const T* x, index_t incx,
                         T beta, T* y, index_t incy) {
  if (const blas_function<T> gemv("gemv", {m, n, lda, incx, incy}); gemv)
    return gemv(letter_of_operation(o), m, n, &alpha, a, lda, x, incx, &beta, y, incy);
  const bool plain = o == as_it_is;
  const index_t in = plain ? n : m, out = plain ? m : n;
  const T* const from = incx < 0 ? x + (1 - in) * incx : x;
  T* const to = incy < 0 ? y + (1 - out) * incy : y;
  std::vector<wide<T>> sums(static_cast<std::size_t>(out));
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      const wide<T> e(conjugate_if(o == adjoint, a[j * lda + i]));
      (plain ? sums[i] : sums[j]) += e * wide<T>(from[(plain ? j : i) * incx]);
    }
  for (index_t i = 0; i < out; ++i)
    to[i * incy] = T(wide<T>(alpha) * sums[i] + (beta == T(0) ? wide<T>(0) : wide<T>(beta) * wide<T>(to[i * incy])));
}

struct vector_batch {
  index_t a = 0, x = 0, y = 0;  // number of elements in each matrix and in each vector
};
template <class T>
status check_vectors(int o, index_t m, index_t n, index_t lda, index_t incx, index_t incy, index_t count,
                     vector_batch& sizes) {
  if (m < 0 || n < 0 || count < 0 || o < as_it_is || o > adjoint || lda < std::max<index_t>(1, m) || incx == 0 ||
      incy == 0)
    return invalid_value;
  const index_t in = o == as_it_is ? n : m, out = o == as_it_is ? m : n;
  if (m == 0 || n == 0) return success;
  sizes = {elements_of(m, n, lda), (in - 1) * std::abs(incx) + 1, (out - 1) * std::abs(incy) + 1};
  return success;
}

template <class T>
status multiply_vector_strides(routine& r, int o, index_t m, index_t n, const T* alpha, const T* a, index_t lda,
                               index_t a_stride, const T* x, index_t incx, index_t x_stride, const T* beta, T* y,
                               index_t incy, index_t y_stride, index_t count) {
  vector_batch sizes;
  if (const status s = check_vectors<T>(o, m, n, lda, incx, incy, count, sizes); s != success) return s;
  if (a_stride < 0 || x_stride < 0 || y_stride < 0) return invalid_value;
  if (sizes.a == 0 || count == 0) return success;
  r.by_blas();
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const auto matrix = r.reads(a, (count - 1) * a_stride + sizes.a), in = r.reads(x, (count - 1) * x_stride + sizes.x);
  const auto out = r.writes(y, (count - 1) * y_stride + sizes.y);
  return r.perform([=](const view& v) {
    for (index_t i = 0; i < count; ++i)
      multiply_vector_now(o, m, n, by.at(v), matrix.at(v) + i * a_stride, lda, in.at(v) + i * x_stride, incx,
                          plus.at(v), out.at(v) + i * y_stride, incy);
  });
}

template <class T>
status multiply_vector_pointers(routine& r, int o, index_t m, index_t n, const T* alpha, const T* const* a, index_t lda,
                                const T* const* x, index_t incx, const T* beta, T* const* y, index_t incy,
                                index_t count) {
  vector_batch sizes;
  if (const status s = check_vectors<T>(o, m, n, lda, incx, incy, count, sizes); s != success) return s;
  if (sizes.a == 0 || count == 0) return success;
  r.by_blas();
  const auto by = r.parameter(alpha), plus = r.parameter(beta);
  const index_t each = sizeof(T);
  const auto matrix = r.pointers(a, count, sizes.a * each, false), in = r.pointers(x, count, sizes.x * each, false);
  const auto out = r.pointers(y, count, sizes.y * each, true);
  return r.perform([=](const view& v) {
    const auto at = [&](auto* p, index_t elements) {
      return reinterpret_cast<decltype(p)>(
          v(reinterpret_cast<std::uint64_t>(p), static_cast<std::uint64_t>(elements * each)));
    };
    for (index_t i = 0; i < count; ++i)
      multiply_vector_now(o, m, n, by.at(v), at(matrix.at(v)[i], sizes.a), lda, at(in.at(v)[i], sizes.x), incx,
                          plus.at(v), at(out.at(v)[i], sizes.y), incy);
  });
}

}  // namespace bankwise::math
