// Stands in for cuBLAS where programs compare their own matrix products with it (scripts/run-programs): the entry points
// that those call, computed by the host in float and rounded once, on memory that the stand-in runtime copies. cuBLAS
// itself has kernels and a CUDA runtime inside and asks the driver for more than its API. Declared here, so that it
// builds without a toolkit; what is not here, the loader names when the program starts.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/float_bits.hpp"

#define CUBLAS_API extern "C" __attribute__((visibility("default")))

extern "C" int cudaMemcpy(void*, const void*, std::size_t, int);

namespace {

enum status : int { success, not_initialized, invalid_value = 7, execution_failed = 13, not_supported = 15 };
enum direction : int { to_device = 1, to_host = 2 };
enum element : int { f32 = 0, f16 = 2, bf16 = 14 };      // cudaDataType_t
enum operation : int { as_it_is, transposed, adjoint };  // cublasOperation_t
enum epilogue : int { no_epilogue = 1, relu = 2, bias = 4, relu_bias = 6, gelu = 32, gelu_bias = 36 };

std::size_t bytes_of(element e) { return e == f32 ? 4 : 2; }

// Elements of the device as floats of the host.
class buffer {
 public:
  status read(const void* device, std::size_t count, element e) {
    bytes_.resize(count * bytes_of(e));
    if (cudaMemcpy(bytes_.data(), device, bytes_.size(), to_host) != 0) return execution_failed;
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (e == f32) {
        std::memcpy(&values[i], &bytes_[i * 4], 4);
        continue;
      }
      std::uint16_t half = 0;
      std::memcpy(&half, &bytes_[i * 2], 2);
      const std::uint32_t word = std::uint32_t{half} << 16;
      if (e == f16)
        values[i] = bankwise::float_of_half(half);
      else
        std::memcpy(&values[i], &word, 4);
    }
    return success;
  }
  status write(void* device, element e) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (e == f32) {
        std::memcpy(&bytes_[i * 4], &values[i], 4);
        continue;
      }
      const std::uint16_t half =
          e == f16 ? bankwise::half_of_double(values[i]) : bankwise::bfloat16_of_double(values[i]);
      std::memcpy(&bytes_[i * 2], &half, 2);
    }
    return cudaMemcpy(device, bytes_.data(), bytes_.size(), to_device) == 0 ? success : execution_failed;
  }
  std::vector<float> values;

 private:
  std::vector<std::byte> bytes_;
};

// A matrix in columns, as cuBLAS has them.
struct matrix {
  const void* data;
  element type;
  std::size_t rows, columns, leading;
  std::size_t count() const { return columns == 0 ? 0 : (columns - 1) * leading + rows; }
};

// Its rows one behind the other, after the operation.
status read_rows(const matrix& m, operation o, std::vector<float>& rows) {
  buffer b;
  if (const status s = b.read(m.data, m.count(), m.type); s != success) return s;
  const std::size_t high = o == as_it_is ? m.rows : m.columns, wide = o == as_it_is ? m.columns : m.rows;
  rows.resize(high * wide);
  for (std::size_t r = 0; r < high; ++r)
    for (std::size_t c = 0; c < wide; ++c)
      rows[r * wide + c] = b.values[o == as_it_is ? c * m.leading + r : r * m.leading + c];
  return success;
}

struct product {
  operation of_a, of_b;
  std::size_t m, n, k;
  float alpha, beta;
  matrix a, b;
  void* c;
  element c_type;
  std::size_t c_leading;
  epilogue then = no_epilogue;
  const float* added = nullptr;  // of the device, one for each row
};

float gelu_of(float x) { return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }

status multiply(const product& p) {
  if (p.m == 0 || p.n == 0) return success;
  std::vector<float> a, b, added(p.m, 0);
  operation columns_of_b = p.of_b == as_it_is ? transposed : as_it_is;
  if (const status s = read_rows(p.a, p.of_a, a); s != success) return s;
  if (const status s = read_rows(p.b, columns_of_b, b); s != success) return s;
  if (p.added != nullptr && cudaMemcpy(added.data(), p.added, p.m * sizeof(float), to_host) != 0)
    return execution_failed;
  buffer c;
  const matrix result{p.c, p.c_type, p.m, p.n, p.c_leading};
  if (const status s = c.read(p.c, result.count(), p.c_type); s != success) return s;
  for (std::size_t j = 0; j < p.n; ++j)
    for (std::size_t i = 0; i < p.m; ++i) {
      constexpr std::size_t lanes = 16;  // sums side by side, for the compiler to keep in a vector
      float sums[lanes] = {};
      const float *x = &a[i * p.k], *y = &b[j * p.k];
      std::size_t k = 0;
      for (; k + lanes <= p.k; k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) sums[l] += x[k + l] * y[k + l];
      for (; k < p.k; ++k) sums[0] += x[k] * y[k];
      float sum = 0;
      for (const float each : sums) sum += each;
      float& to = c.values[j * p.c_leading + i];
      to = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * to) + added[i];
      if (p.then == relu || p.then == relu_bias) to = std::fmax(to, 0.0f);
      if (p.then == gelu || p.then == gelu_bias) to = gelu_of(to);
    }
  return c.write(p.c, p.c_type);
}

bool known(int type) { return type == f32 || type == f16 || type == bf16; }

template <class T>
T* behind(T* data, long long elements, element e) {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<byte*>(data) + elements * static_cast<long long>(bytes_of(e));
}

status multiply_all(int of_a, int of_b, int m, int n, int k, float alpha, const void* a, int a_type, int lda,
                    long long a_stride, const void* b, int b_type, int ldb, long long b_stride, float beta, void* c,
                    int c_type, int ldc, long long c_stride, int count) {
  if (m < 0 || n < 0 || k < 0 || count < 0 || of_a > adjoint || of_b > adjoint) return invalid_value;
  if (!known(a_type) || !known(b_type) || !known(c_type)) return not_supported;
  const auto size = [](int count_of) { return static_cast<std::size_t>(count_of); };
  const auto shape = [&](int o, int rows, int columns) {
    return o == as_it_is ? std::pair{size(rows), size(columns)} : std::pair{size(columns), size(rows)};
  };
  const auto of_type = [](int t) { return static_cast<element>(t); };
  const auto [a_rows, a_columns] = shape(of_a, m, k);
  const auto [b_rows, b_columns] = shape(of_b, k, n);
  for (int i = 0; i < count; ++i) {
    const product p{static_cast<operation>(of_a),
                    static_cast<operation>(of_b),
                    size(m),
                    size(n),
                    size(k),
                    alpha,
                    beta,
                    {behind(static_cast<const std::byte*>(a), i * a_stride, of_type(a_type)), of_type(a_type), a_rows,
                     a_columns, size(lda)},
                    {behind(static_cast<const std::byte*>(b), i * b_stride, of_type(b_type)), of_type(b_type), b_rows,
                     b_columns, size(ldb)},
                    behind(static_cast<std::byte*>(c), i * c_stride, of_type(c_type)),
                    of_type(c_type),
                    size(ldc)};
    if (const status s = multiply(p); s != success) return s;
  }
  return success;
}

// alpha and beta are halves where the product is computed in halves.
enum compute : int { in_halves = 64, in_halves_pedantic = 65 };
float scalar(const void* at, int computed) {
  if (computed == in_halves || computed == in_halves_pedantic) {
    std::uint16_t half = 0;
    std::memcpy(&half, at, 2);
    return bankwise::float_of_half(half);
  }
  float f = 0;
  std::memcpy(&f, at, 4);
  return f;
}

char handle;

}  // namespace

CUBLAS_API int cublasCreate_v2(void** made) {
  *made = &handle;
  return success;
}
CUBLAS_API int cublasDestroy_v2(void*) { return success; }
CUBLAS_API int cublasSetMathMode(void*, int) { return success; }
CUBLAS_API int cublasSetStream_v2(void*, void*) { return success; }

CUBLAS_API int cublasSgemm_v2(void*, int of_a, int of_b, int m, int n, int k, const float* alpha, const float* a,
                              int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  return multiply_all(of_a, of_b, m, n, k, *alpha, a, f32, lda, 0, b, f32, ldb, 0, *beta, c, f32, ldc, 0, 1);
}
CUBLAS_API int cublasHgemm(void*, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                           const void* b, int ldb, const void* beta, void* c, int ldc) {
  return multiply_all(of_a, of_b, m, n, k, scalar(alpha, in_halves), a, f16, lda, 0, b, f16, ldb, 0,
                      scalar(beta, in_halves), c, f16, ldc, 0, 1);
}
CUBLAS_API int cublasSgemmStridedBatched(void*, int of_a, int of_b, int m, int n, int k, const float* alpha,
                                         const float* a, int lda, long long a_stride, const float* b, int ldb,
                                         long long b_stride, const float* beta, float* c, int ldc, long long c_stride,
                                         int count) {
  return multiply_all(of_a, of_b, m, n, k, *alpha, a, f32, lda, a_stride, b, f32, ldb, b_stride, *beta, c, f32, ldc,
                      c_stride, count);
}
CUBLAS_API int cublasGemmEx(void*, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a,
                            int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
                            int c_type, int ldc, int computed, int) {
  return multiply_all(of_a, of_b, m, n, k, scalar(alpha, computed), a, a_type, lda, 0, b, b_type, ldb, 0,
                      scalar(beta, computed), c, c_type, ldc, 0, 1);
}
CUBLAS_API int cublasGemmStridedBatchedEx(void*, int of_a, int of_b, int m, int n, int k, const void* alpha,
                                          const void* a, int a_type, int lda, long long a_stride, const void* b,
                                          int b_type, int ldb, long long b_stride, const void* beta, void* c,
                                          int c_type, int ldc, long long c_stride, int count, int computed, int) {
  return multiply_all(of_a, of_b, m, n, k, scalar(alpha, computed), a, a_type, lda, a_stride, b, b_type, ldb, b_stride,
                      scalar(beta, computed), c, c_type, ldc, c_stride, count);
}

// --- cublasLt: one product with what follows it ---

namespace {

struct description {
  int of_a = as_it_is, of_b = as_it_is, then = no_epilogue;
  const float* added = nullptr;
};
struct layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
enum description_attribute : int { of_a = 3, of_b = 4, epilogue_attribute = 7, bias_pointer = 8 };

// cublasLtMatmulHeuristicResult_t
struct heuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

}  // namespace

CUBLAS_API int cublasLtCreate(void** made) { return cublasCreate_v2(made); }
CUBLAS_API int cublasLtDestroy(void*) { return success; }
CUBLAS_API int cublasLtMatmulDescCreate(description** made, int, int) {
  *made = new description;
  return success;
}
CUBLAS_API int cublasLtMatmulDescDestroy(description* d) {
  delete d;
  return success;
}
CUBLAS_API int cublasLtMatmulDescSetAttribute(description* d, int which, const void* value, std::size_t bytes) {
  void* to = which == of_a                 ? static_cast<void*>(&d->of_a)
             : which == of_b               ? &d->of_b
             : which == epilogue_attribute ? &d->then
             : which == bias_pointer       ? static_cast<void*>(&d->added)
                                           : nullptr;
  if (to == nullptr) return not_supported;
  if (bytes != (which == bias_pointer ? sizeof d->added : sizeof d->then)) return invalid_value;
  std::memcpy(to, value, bytes);
  return success;
}
CUBLAS_API int cublasLtMatrixLayoutCreate(layout** made, int type, std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t leading) {
  *made = new layout{type, rows, columns, leading};
  return success;
}
CUBLAS_API int cublasLtMatrixLayoutDestroy(layout* l) {
  delete l;
  return success;
}
CUBLAS_API int cublasLtMatmulPreferenceCreate(void** made) { return cublasCreate_v2(made); }
CUBLAS_API int cublasLtMatmulPreferenceDestroy(void*) { return success; }
CUBLAS_API int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, std::size_t) { return success; }
CUBLAS_API int cublasLtMatmulAlgoGetHeuristic(void*, const description*, const layout*, const layout*, const layout*,
                                              const layout*, void*, int asked, heuristic* found, int* count) {
  if (asked < 1) return invalid_value;
  found[0] = {};
  *count = 1;
  return success;
}
CUBLAS_API int cublasLtMatmul(void*, const description* d, const float* alpha, const void* a, const layout* la,
                              const void* b, const layout* lb, const float* beta, const void* c, const layout*,
                              void* to, const layout* lc, const void*, void*, std::size_t, void*) {
  if (c != to || !known(la->type) || !known(lb->type) || !known(lc->type)) return not_supported;
  return multiply({static_cast<operation>(d->of_a),
                   static_cast<operation>(d->of_b),
                   lc->rows,
                   lc->columns,
                   d->of_a == as_it_is ? la->columns : la->rows,
                   *alpha,
                   *beta,
                   {a, static_cast<element>(la->type), la->rows, la->columns, static_cast<std::size_t>(la->leading)},
                   {b, static_cast<element>(lb->type), lb->rows, lb->columns, static_cast<std::size_t>(lb->leading)},
                   to,
                   static_cast<element>(lc->type),
                   static_cast<std::size_t>(lc->leading),
                   static_cast<epilogue>(d->then),
                   d->added});
}
