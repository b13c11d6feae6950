// cuBLASLt: products with descriptors for the layouts of the matrices and for the epilogues.
#include <cstddef>
#include <cstdio>

#include "math/blas/lt_descriptors.hpp"
#include "math/blas/lt_product.hpp"
#include "math/common/library_version.hpp"

using namespace bankwise::math;

namespace {

// An algorithm in the form in which programs store it. There are no differences between algorithms.
struct algorithm {
  std::uint64_t words[8];
};
struct heuristic_result {
  algorithm chosen;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
constexpr std::uint64_t mark = 0x6b6e6162;  // value of words[7], which marks our own algorithms

algorithm make_algorithm(int id) {
  algorithm a{};
  a.words[0] = static_cast<std::uint32_t>(id);
  a.words[7] = mark;
  return a;
}

struct config_place {
  int attribute, word;
  std::size_t bytes;
};
// Settings of an algorithm. They are stored, but have no effect.
constexpr config_place configs[] = {{0, 0, 4}, {1, 1, 4}, {2, 2, 4}, {3, 3, 4}, {4, 4, 4},
                                    {5, 5, 4}, {6, 6, 4}, {7, 1, 2}, {8, 2, 2}};

std::byte* place_of(algorithm& a, const config_place& c) {
  // A setting of two bytes is stored in the upper half of its word.
  return reinterpret_cast<std::byte*>(&a.words[c.word]) + (c.bytes == 2 ? 4 : 0);
}

template <class T>
status create(T** made, const T& value) {
  if (made == nullptr) return invalid_value;
  *made = new (std::nothrow) T(value);
  return *made == nullptr ? alloc_failed : success;
}
template <class T>
status initialize(T* at, std::size_t bytes, const T& value) {
  if (at == nullptr || bytes < sizeof(T)) return invalid_value;
  *at = value;
  return success;
}
template <class T>
status destroy(T* what) {
  delete what;
  return success;
}

char the_handle;

}  // namespace

CUDA_API int cublasLtCreate(void** made) {
  if (made == nullptr) return invalid_value;
  *made = &the_handle;
  return success;
}
CUDA_API int cublasLtDestroy(void*) { return success; }
CUDA_API std::size_t cublasLtGetVersion() { return static_cast<std::size_t>(number_of(library_version, 10000)); }
CUDA_API std::size_t cublasLtGetCudartVersion() { return static_cast<std::size_t>(library_version.major * 1000); }
CUDA_API int cublasLtGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return invalid_value;
  *value = part_of(library_version, which);
  return success;
}
CUDA_API const char* cublasLtGetStatusName(int s) {
  switch (s) {
    case success: return "CUBLAS_STATUS_SUCCESS";
    case not_initialized: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case alloc_failed: return "CUBLAS_STATUS_ALLOC_FAILED";
    case invalid_value: return "CUBLAS_STATUS_INVALID_VALUE";
    case execution_failed: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case not_supported: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}
CUDA_API const char* cublasLtGetStatusString(int s) { return cublasLtGetStatusName(s); }
CUDA_API int cublasLtLoggerSetCallback(void*) { return success; }
CUDA_API int cublasLtLoggerSetFile(std::FILE*) { return success; }
CUDA_API int cublasLtLoggerOpenFile(const char*) { return success; }
CUDA_API int cublasLtLoggerSetLevel(int) { return success; }
CUDA_API int cublasLtLoggerSetMask(int) { return success; }
CUDA_API int cublasLtLoggerForceDisable() { return success; }
CUDA_API int cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
  if (capacity != nullptr) *capacity = 0;
  return capacity == nullptr ? invalid_value : success;
}
CUDA_API int cublasLtHeuristicsCacheSetCapacity(std::size_t) { return success; }

// --- descriptors

#define DESCRIPTOR(NAME, type)                                                                         \
  CUDA_API int cublasLt##NAME##Destroy(type* d) { return destroy(d); }                                 \
  CUDA_API int cublasLt##NAME##SetAttribute(type* d, int which, const void* from, std::size_t bytes) { \
    return d == nullptr ? invalid_value : set_attribute(*d, which, from, bytes);                       \
  }                                                                                                    \
  CUDA_API int cublasLt##NAME##GetAttribute(const type* d, int which, void* to, std::size_t bytes,     \
                                            std::size_t* written) {                                    \
    return d == nullptr ? invalid_value : get_attribute(*d, which, to, bytes, written);                \
  }
DESCRIPTOR(MatrixLayout, lt_layout)
DESCRIPTOR(MatmulDesc, lt_matmul)
DESCRIPTOR(MatrixTransformDesc, lt_transform)
DESCRIPTOR(MatmulPreference, lt_preference)

CUDA_API int cublasLtMatrixLayoutCreate(lt_layout** made, int type, std::uint64_t rows, std::uint64_t columns,
                                        std::int64_t lead) {
  return create(made, make_layout(type, rows, columns, lead));
}
CUDA_API int cublasLtMatrixLayoutInit_internal(lt_layout* at, std::size_t bytes, int type, std::uint64_t rows,
                                               std::uint64_t columns, std::int64_t lead) {
  return initialize(at, bytes, make_layout(type, rows, columns, lead));
}
CUDA_API int cublasLtMatmulDescCreate(lt_matmul** made, int computed, int scale) {
  return create(made, make_matmul(computed, scale));
}
CUDA_API int cublasLtMatmulDescInit_internal(lt_matmul* at, std::size_t bytes, int computed, int scale) {
  return initialize(at, bytes, make_matmul(computed, scale));
}
CUDA_API int cublasLtMatrixTransformDescCreate(lt_transform** made, int scale) {
  return create(made, lt_transform{scale});
}
CUDA_API int cublasLtMatrixTransformDescInit_internal(lt_transform* at, std::size_t bytes, int scale) {
  return initialize(at, bytes, lt_transform{scale});
}
CUDA_API int cublasLtMatmulPreferenceCreate(lt_preference** made) { return create(made, lt_preference()); }
CUDA_API int cublasLtMatmulPreferenceInit_internal(lt_preference* at, std::size_t bytes) {
  return initialize(at, bytes, lt_preference());
}

// --- algorithms

CUDA_API int cublasLtMatmulAlgoGetHeuristic(void*, const lt_matmul* d, const lt_layout* a, const lt_layout* b,
                                            const lt_layout* c, const lt_layout* to, const lt_preference*,
                                            int requested, heuristic_result* results, int* count) {
  if (count != nullptr) *count = 0;
  if (d == nullptr || a == nullptr || b == nullptr || c == nullptr || to == nullptr || results == nullptr ||
      count == nullptr || requested < 1)
    return invalid_value;
  if (const status s = check(*d, *a, *b, *c, *to); s != success) return s;
  results[0] = {make_algorithm(0), 0, success, 1.0f, {}};
  *count = 1;
  return success;
}
CUDA_API int cublasLtMatmulAlgoGetIds(void*, int, int, int, int, int, int, int requested, int* ids, int* count) {
  if (requested < 1 || ids == nullptr || count == nullptr) return invalid_value;
  ids[0] = 0;
  *count = 1;
  return success;
}
CUDA_API int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int id, algorithm* made) {
  if (made == nullptr) return invalid_value;
  if (id != 0) return not_supported;
  *made = make_algorithm(id);
  return success;
}
CUDA_API int cublasLtMatmulAlgoCheck(void*, const lt_matmul* d, const lt_layout* a, const lt_layout* b,
                                     const lt_layout* c, const lt_layout* to, const algorithm* chosen,
                                     heuristic_result* result) {
  if (d == nullptr || a == nullptr || b == nullptr || c == nullptr || to == nullptr || chosen == nullptr ||
      result == nullptr)
    return invalid_value;
  const algorithm one = *chosen;  // `chosen` may point into the structure to which the result is written
  const status s = check(*d, *a, *b, *c, *to);
  *result = {one, 0, s, 1.0f, {}};
  return s;
}
// Returns what an algorithm supports. No algorithm supports splits, swizzles or tiles.
CUDA_API int cublasLtMatmulAlgoCapGetAttribute(const algorithm* a, int which, void* to, std::size_t bytes,
                                               std::size_t* written) {
  if (a == nullptr) return invalid_value;
  std::uint64_t value = 0;
  std::size_t size = 4;
  switch (which) {
    case 6:  // attributes that are lists
    case 13: size = 0; break;
    case 3:  // value 1: the algorithm supports strided batches, and supports results in a matrix other than c
    case 4: value = 1; break;
    case 11: value = 3; break;  // pointers to host and to device memory
    case 12: value = 1023; break;
    case 15:
      size = 8;
      value = 1;
      break;
    case 16:
    case 17:
    case 18:
    case 19: value = 1; break;
    default: break;
  }
  if (written != nullptr) *written = size;
  if (bytes == 0) return written == nullptr ? invalid_value : success;
  if (to == nullptr || bytes < size) return invalid_value;
  std::memcpy(to, &value, size);
  return success;
}
CUDA_API int cublasLtMatmulAlgoConfigSetAttribute(algorithm* a, int which, const void* from, std::size_t bytes) {
  if (a == nullptr || from == nullptr) return invalid_value;
  for (const config_place& c : configs)
    if (c.attribute == which) {
      if (bytes != c.bytes) return invalid_value;
      std::memcpy(place_of(*a, c), from, bytes);
      return success;
    }
  return invalid_value;
}
CUDA_API int cublasLtMatmulAlgoConfigGetAttribute(const algorithm* a, int which, void* to, std::size_t bytes,
                                                  std::size_t* written) {
  if (a == nullptr) return invalid_value;
  algorithm one = *a;
  for (const config_place& c : configs)
    if (c.attribute == which) {
      if (written != nullptr) *written = c.bytes;
      if (bytes == 0) return written == nullptr ? invalid_value : success;
      if (to == nullptr || bytes != c.bytes) return invalid_value;
      std::memcpy(to, place_of(one, c), bytes);
      return success;
    }
  return invalid_value;
}

// --- operations

CUDA_API int cublasLtMatmul(void* h, const lt_matmul* d, const void* alpha, const void* a, const lt_layout* of_a,
                            const void* b, const lt_layout* of_b, const void* beta, const void* c,
                            const lt_layout* of_c, void* to, const lt_layout* of_to, const algorithm*, void*,
                            std::size_t, bankwise::cuda::stream* on) {
  if (h == nullptr) return not_initialized;
  if (d == nullptr || of_a == nullptr || of_b == nullptr || of_c == nullptr || of_to == nullptr) return invalid_value;
  handle one;
  one.on = on;
  one.pointers = d->pointers == pointers_on_host ? pointers_on_host : pointers_on_device;
  return attempt(&one, "cublasLtMatmul", [&](routine& r) {
    return multiply_described(r, *d, alpha, a, *of_a, b, *of_b, beta, c, *of_c, to, *of_to);
  });
}
CUDA_API int cublasLtMatrixTransform(void* h, const lt_transform* d, const void* alpha, const void* a,
                                     const lt_layout* of_a, const void* beta, const void* b, const lt_layout* of_b,
                                     void* c, const lt_layout* of_c, bankwise::cuda::stream* on) {
  if (h == nullptr) return not_initialized;
  if (d == nullptr || of_c == nullptr) return invalid_value;
  handle one;
  one.on = on;
  one.pointers = d->pointers == pointers_on_host ? pointers_on_host : pointers_on_device;
  return attempt(&one, "cublasLtMatrixTransform",
                 [&](routine& r) { return transform_described(r, *d, alpha, a, of_a, beta, b, of_b, c, *of_c); });
}
