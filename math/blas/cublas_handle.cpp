// Handles of cuBLAS and their settings, and copies of vectors and matrices between host and device.
#include "math/common/library_version.hpp"
#include "math/common/objects.hpp"
#include "math/common/routine.hpp"

using namespace bankwise::math;
using bankwise::cuda::copy_for_library;

namespace {

using library = statuses<invalid_value, alloc_failed>;

constexpr status_words all_statuses[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires an architectural feature absent from the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the functionality requested requires some license"},
};

// Copies `rows` units of `bytes` bytes. A stride is the number of units from one copied unit to the next.
status copy_pieces(index_t rows, index_t bytes, const void* from, index_t from_step, void* to, index_t to_step,
                   bankwise::cuda::stream* on) {
  if (rows < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0) return invalid_value;
  if (rows == 0) return success;
  const auto size = [](index_t n) { return static_cast<std::size_t>(n); };
  const bool gaps = from_step != 1 || to_step != 1;
  const auto e =
      gaps ? copy_for_library(to, from, size(rows), size(bytes), size(to_step * bytes), size(from_step * bytes), on)
           : copy_for_library(to, from, 1, size(rows * bytes), size(rows * bytes), size(rows * bytes), on);
  return e == bankwise::cuda::outcome::done ? success : execution_failed;
}
status copy_matrix(index_t rows, index_t columns, index_t bytes, const void* from, index_t from_lead, void* to,
                   index_t to_lead, bankwise::cuda::stream* on) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_lead < rows || to_lead < rows) return invalid_value;
  if (rows == 0 || columns == 0) return success;
  const auto size = [](index_t n) { return static_cast<std::size_t>(n); };
  return copy_for_library(to, from, size(columns), size(rows * bytes), size(to_lead * bytes), size(from_lead * bytes),
                          on) == bankwise::cuda::outcome::done
             ? success
             : execution_failed;
}

}  // namespace

CUDA_API int cublasCreate_v2(handle** made) { return library::make(made); }
CUDA_API int cublasDestroy_v2(handle* h) { return library::close(h); }
CUDA_API int cublasGetVersion_v2(handle*, int* version) {
  return library::put(version, number_of(library_version, 10000));
}
CUDA_API int cublasGetProperty(int which, int* value) { return library::put_version(which, value, library_version); }
CUDA_API std::size_t cublasGetCudartVersion() { return static_cast<std::size_t>(library_version.major * 1000); }
// Does nothing, because no function needs a workspace.
CUDA_API int cublasSetWorkspace_v2(handle* h, void*, std::size_t) { return h == nullptr ? not_initialized : success; }
CUDA_API int cublasSetStream_v2(handle* h, bankwise::cuda::stream* on) { return library::set(h, &handle::on, on); }
CUDA_API int cublasGetStream_v2(handle* h, bankwise::cuda::stream** on) { return library::get(h, &handle::on, on); }
CUDA_API int cublasSetPointerMode_v2(handle* h, int mode) {
  if (mode != pointers_on_host && mode != pointers_on_device) return invalid_value;
  return library::set(h, &handle::pointers, mode);
}
CUDA_API int cublasGetPointerMode_v2(handle* h, int* mode) { return library::get(h, &handle::pointers, mode); }
CUDA_API int cublasSetAtomicsMode(handle* h, int mode) { return library::set(h, &handle::atomics, mode); }
CUDA_API int cublasGetAtomicsMode(handle* h, int* mode) { return library::get(h, &handle::atomics, mode); }
CUDA_API int cublasSetMathMode(handle* h, int mode) { return library::set(h, &handle::math_mode, mode); }
CUDA_API int cublasGetMathMode(handle* h, int* mode) { return library::get(h, &handle::math_mode, mode); }
CUDA_API int cublasSetSmCountTarget(handle* h, int count) { return library::set(h, &handle::multiprocessors, count); }
CUDA_API int cublasGetSmCountTarget(handle* h, int* count) { return library::get(h, &handle::multiprocessors, count); }
CUDA_API int cublasLoggerConfigure(int, int, int, const char*) { return success; }
CUDA_API int cublasSetLoggerCallback(void (*)(const char*)) { return success; }
CUDA_API int cublasGetLoggerCallback(void (**callback)(const char*)) { return library::put(callback, nullptr); }

CUDA_API const char* cublasGetStatusName(int s) {
  const status_words* const w = find_status(all_statuses, s);
  return w == nullptr ? "CUBLAS_STATUS_UNKNOWN" : w->name;
}
CUDA_API const char* cublasGetStatusString(int s) {
  const status_words* const w = find_status(all_statuses, s);
  return w == nullptr ? "unknown error" : w->text;
}

#define COPIES(I, END)                                                                                     \
  CUDA_API int cublasSetVector##END(I n, I bytes, const void* x, I incx, void* y, I incy) {                \
    return copy_pieces(n, bytes, x, incx, y, incy, nullptr);                                               \
  }                                                                                                        \
  CUDA_API int cublasGetVector##END(I n, I bytes, const void* x, I incx, void* y, I incy) {                \
    return copy_pieces(n, bytes, x, incx, y, incy, nullptr);                                               \
  }                                                                                                        \
  CUDA_API int cublasSetVectorAsync##END(I n, I bytes, const void* x, I incx, void* y, I incy,             \
                                         bankwise::cuda::stream* on) {                                     \
    return copy_pieces(n, bytes, x, incx, y, incy, on);                                                    \
  }                                                                                                        \
  CUDA_API int cublasGetVectorAsync##END(I n, I bytes, const void* x, I incx, void* y, I incy,             \
                                         bankwise::cuda::stream* on) {                                     \
    return copy_pieces(n, bytes, x, incx, y, incy, on);                                                    \
  }                                                                                                        \
  CUDA_API int cublasSetMatrix##END(I rows, I columns, I bytes, const void* a, I lda, void* b, I ldb) {    \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr);                                     \
  }                                                                                                        \
  CUDA_API int cublasGetMatrix##END(I rows, I columns, I bytes, const void* a, I lda, void* b, I ldb) {    \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr);                                     \
  }                                                                                                        \
  CUDA_API int cublasSetMatrixAsync##END(I rows, I columns, I bytes, const void* a, I lda, void* b, I ldb, \
                                         bankwise::cuda::stream* on) {                                     \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, on);                                          \
  }                                                                                                        \
  CUDA_API int cublasGetMatrixAsync##END(I rows, I columns, I bytes, const void* a, I lda, void* b, I ldb, \
                                         bankwise::cuda::stream* on) {                                     \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, on);                                          \
  }
COPIES(int, )
COPIES(std::int64_t, _64)
