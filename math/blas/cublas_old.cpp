// cuBLAS's old interface without handles. This interface has letters instead of enumerators, passes scalars by value,
// and returns results. Each function calls the new function (_v2). All functions use the same handle.
#include <complex>
#include <mutex>

#include "math/common/math_abi.hpp"
#include "runtime/library_call.hpp"

using namespace bankwise::math;
using bankwise::cuda::outcome;

namespace {

struct {
  std::mutex mutex;
  void* handle = nullptr;
  int error = success;  // status of the last error that the program has not read
} program;

int operation_of(char c) { return c == 'n' || c == 'N' ? 0 : c == 't' || c == 'T' ? 1 : c == 'c' || c == 'C' ? 2 : -1; }
int half_of(char c) { return c == 'l' || c == 'L' ? 0 : c == 'u' || c == 'U' ? 1 : -1; }
int diagonal_of(char c) { return c == 'n' || c == 'N' ? 0 : c == 'u' || c == 'U' ? 1 : -1; }
int side_of(char c) { return c == 'l' || c == 'L' ? 0 : c == 'r' || c == 'R' ? 1 : -1; }

int note(int status) {
  const std::lock_guard lock(program.mutex);
  if (status != success) program.error = status;
  return status;
}
void* handle_of_program() {
  const std::lock_guard lock(program.mutex);
  return program.handle;
}

int status_of(outcome o) {
  switch (o) {
    case outcome::done: return success;
    case outcome::out_of_memory: return alloc_failed;
    case outcome::invalid: return invalid_value;
    default: return execution_failed;
  }
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** made);
int cublasDestroy_v2(void* h);
int cublasSetStream_v2(void* h, void* on);
}

CUDA_API int cublasInit() {
  const std::lock_guard lock(program.mutex);
  return program.handle != nullptr ? success : cublasCreate_v2(&program.handle);
}
CUDA_API int cublasShutdown() {
  const std::lock_guard lock(program.mutex);
  void* const h = program.handle;
  program.handle = nullptr;
  return h == nullptr ? not_initialized : cublasDestroy_v2(h);
}
CUDA_API int cublasGetError() {
  const std::lock_guard lock(program.mutex);
  const int last = program.error;
  program.error = success;
  return last;
}
CUDA_API int cublasAlloc(int count, int bytes_each, void** pointer) {
  if (handle_of_program() == nullptr) return note(not_initialized);
  if (count <= 0 || bytes_each <= 0 || pointer == nullptr) return note(invalid_value);
  const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes_each);
  return note(status_of(bankwise::cuda::allocate_for_library(pointer, bytes)));
}
CUDA_API int cublasFree(void* pointer) {
  if (handle_of_program() == nullptr) return note(not_initialized);
  return note(status_of(bankwise::cuda::release_for_library(pointer)));
}
CUDA_API int cublasSetKernelStream(void* on) {
  void* const h = handle_of_program();
  return note(h == nullptr ? static_cast<int>(not_initialized) : cublasSetStream_v2(h, on));
}

#define ARGUMENTS(...) __VA_ARGS__
#define OLD_VOID(name, parameters, parameters_of_today, arguments)                              \
  extern "C" int name##_v2 parameters_of_today;                                                 \
  CUDA_API void name parameters {                                                               \
    void* const h = handle_of_program();                                                        \
    note(h == nullptr ? static_cast<int>(not_initialized) : name##_v2(h, ARGUMENTS arguments)); \
  }
#define OLD(result, name, parameters, parameters_of_today, arguments)                                  \
  extern "C" int name##_v2 parameters_of_today;                                                        \
  CUDA_API result name parameters {                                                                    \
    void* const h = handle_of_program();                                                               \
    result made{};                                                                                     \
    note(h == nullptr ? static_cast<int>(not_initialized) : name##_v2(h, ARGUMENTS arguments, &made)); \
    return made;                                                                                       \
  }
#include "math/blas/cublas_old.def"
