#include "math/common/products.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <string>
#include <thread>
#include <vector>

#include "base/format.hpp"
#include "base/system/start_thread.hpp"
#include "math/common/numbers.hpp"

namespace bankwise::math {

namespace {

template <class T>
void* product_of_the_blas() {
  static void* const found = the_blas().find(formatted("{}gemm", letter(T())));
  return found;
}

// Multiplies without a BLAS. Copies parts of both factors in the order in which they are used. Computes the sums for a
// few rows and columns at a time.
template <class T>
void multiply_here(operation of_a, operation of_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda,
                   const T* b, index_t ldb, T beta, T* c, index_t ldc) {
  constexpr index_t high = 16, wide = 4, deep = 256;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) c[j * ldc + i] = beta == T(0) ? T(0) : beta * c[j * ldc + i];
  if (alpha == T(0)) return;
  const auto element = [](const T* x, operation o, index_t ld, index_t row, index_t column) {
    const T value = o == as_it_is || o == conjugate ? x[column * ld + row] : x[row * ld + column];
    return conjugate_if(o == adjoint || o == conjugate, value);
  };
  const index_t panels = (m + high - 1) / high;
  std::vector<T> rows(static_cast<std::size_t>(panels * high * deep)), columns(wide * deep);
  for (index_t first = 0; first < k; first += deep) {
    const index_t depth = std::min(deep, k - first);
    for (index_t p = 0; p < panels; ++p)
      for (index_t l = 0; l < depth; ++l)
        for (index_t i = 0; i < high; ++i)
          rows[(p * deep + l) * high + i] = p * high + i < m ? element(a, of_a, lda, p * high + i, first + l) : T(0);
    for (index_t j = 0; j < n; j += wide) {
      for (index_t l = 0; l < depth; ++l)
        for (index_t w = 0; w < wide; ++w)
          columns[l * wide + w] = j + w < n ? alpha * element(b, of_b, ldb, first + l, j + w) : T(0);
      for (index_t p = 0; p < panels; ++p) {
        T sums[wide][high] = {};
        for (index_t l = 0; l < depth; ++l)
          for (index_t w = 0; w < wide; ++w)
            for (index_t i = 0; i < high; ++i) sums[w][i] += rows[(p * deep + l) * high + i] * columns[l * wide + w];
        for (index_t w = 0; w < wide && j + w < n; ++w)
          for (index_t i = 0; i < high && p * high + i < m; ++i) c[(j + w) * ldc + p * high + i] += sums[w][i];
      }
    }
  }
}

template <class T>
void multiply_strip(operation of_a, operation of_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda,
                    const T* b, index_t ldb, T beta, T* c, index_t ldc) {
  void* const f = product_of_the_blas<T>();
  const index_t most = std::max({m, n, k, lda, ldb, ldc});
  if (f == nullptr || (most > INT_MAX && !the_blas().has_long_integers) || of_a == conjugate || of_b == conjugate)
    return multiply_here(of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  static constexpr char words[] = {'N', 'T', 'C'};
  const auto lead = [](index_t x) { return std::max<index_t>(x, 1); };
  call_fortran(f, words[of_a], words[of_b], m, n, k, &alpha, a, lead(lda), b, lead(ldb), &beta, c, lead(ldc));
}

thread_local bool is_inside = false;  // whether this thread currently runs a body of for_each

}  // namespace

const host_library& the_blas() {
  static const host_library& found =
      *new host_library(find_host_library("libblas.so.3", {"sgemm", "dgemm", "cgemm", "zgemm"}));
  return found;
}

std::string_view computed_by() { return the_blas().library == nullptr ? "bankwise" : the_blas().name; }

one_thread::one_thread() : alone_(the_blas()) {}

void for_each(index_t count, double work, const std::function<void(index_t)>& body) {
  constexpr double least_work = 1 << 22;
  const index_t threads =
      work < least_work || is_inside ? 1 : std::min<index_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  if (threads <= 1) {
    for (index_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<index_t> next = 0;
  const auto take = [&] {
    is_inside = true;
    for (index_t i = next++; i < count; i = next++) body(i);
    is_inside = false;
  };
  std::vector<std::jthread> others;
  for (index_t t = 1; t < threads && start_thread(others, take); ++t) {
  }
  take();
  others.clear();
}

void for_each_strip(index_t length, double work, const std::function<void(index_t, index_t)>& body) {
  constexpr index_t strip = 256;
  for_each((length + strip - 1) / strip, work,
           [&](index_t i) { body(i * strip, std::min(strip, length - i * strip)); });
}

template <class T>
void multiply(operation of_a, operation of_b, index_t m, index_t n, index_t k, T alpha, const T* a, index_t lda,
              const T* b, index_t ldb, T beta, T* c, index_t ldc) {
  if (m <= 0 || n <= 0) return;
  const bool by_columns = n >= m;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::max<index_t>(k, 1));
  for_each_strip(by_columns ? n : m, work, [&](index_t first, index_t size) {
    if (by_columns) {
      const bool plain = of_b == as_it_is || of_b == conjugate;
      multiply_strip(of_a, of_b, m, size, k, alpha, a, lda, b + (plain ? first * ldb : first), ldb, beta,
                     c + first * ldc, ldc);
    } else {
      const bool plain = of_a == as_it_is || of_a == conjugate;
      multiply_strip(of_a, of_b, size, n, k, alpha, a + (plain ? first : first * lda), lda, b, ldb, beta, c + first,
                     ldc);
    }
  });
}

#define PRODUCT(T)                                                                                                    \
  template void multiply<T>(operation, operation, index_t, index_t, index_t, T, const T*, index_t, const T*, index_t, \
                            T, T*, index_t);
PRODUCT(float)
PRODUCT(double)
PRODUCT(std::complex<float>)
PRODUCT(std::complex<double>)

}  // namespace bankwise::math
