// cuBLASXt: products of matrices that may be in host memory. cuBLAS computes the products with copies of the matrices
// on the device. A call returns when the result is complete.
#include "math/common/general_product.hpp"
#include "math/common/objects.hpp"
#include "math/common/routine.hpp"

using namespace bankwise::math;

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuCtxPushCurrent_v2(void*);
int cuCtxPopCurrent_v2(void**);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemFree_v2(std::uint64_t);
int cuMemcpy(std::uint64_t, std::uint64_t, std::size_t);
}

namespace {

using library = statuses<invalid_value, alloc_failed>;

// A copy of some columns of a matrix, on the device and for one call. If there are no elements, the copy is empty.
template <class T>
class copy_of {
 public:
  copy_of(const T* from, index_t rows, index_t columns, index_t lead) : from_(const_cast<T*>(from)) {
    if (rows <= 0 || columns <= 0) return;
    elements_ = static_cast<std::size_t>((columns - 1) * lead + rows);
    if (from == nullptr)
      status_ = invalid_value;
    else if (cuMemAlloc_v2(&at_, bytes()) != 0)
      status_ = alloc_failed;
    else if (cuMemcpy(at_, address_of(from_), bytes()) != 0)
      status_ = execution_failed;
  }
  ~copy_of() {
    if (at_ != 0) cuMemFree_v2(at_);
  }
  copy_of(const copy_of&) = delete;
  copy_of& operator=(const copy_of&) = delete;

  status made() const { return status_; }
  T* get() const { return reinterpret_cast<T*>(at_); }
  status put_back() const {
    return elements_ == 0 || cuMemcpy(address_of(from_), at_, bytes()) == 0 ? success : execution_failed;
  }

 private:
  static std::uint64_t address_of(const T* p) { return reinterpret_cast<std::uint64_t>(p); }
  std::size_t bytes() const { return elements_ * sizeof(T); }

  T* from_;
  std::size_t elements_ = 0;
  std::uint64_t at_ = 0;
  status status_ = success;
};

}  // namespace

// The object of a handle. The program's handle points to this object.
struct xt_handle {
  handle one;
  int block = 2048, pinning = 0;
  void* context = nullptr;  // context of the device that the program selected
};

namespace {

// While this object exists, the device's context is current.
class in_context {
 public:
  explicit in_context(void* context) { cuCtxPushCurrent_v2(context); }
  ~in_context() {
    void* was = nullptr;
    cuCtxPopCurrent_v2(&was);
  }
  in_context(const in_context&) = delete;
  in_context& operator=(const in_context&) = delete;
};

template <class T>
int multiply(xt_handle* h, const char* name, int of_a, int of_b, std::size_t m, std::size_t n, std::size_t k,
             const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c,
             std::size_t ldc) {
  if (h == nullptr || h->context == nullptr) return not_initialized;
  constexpr std::size_t most = std::size_t{1} << 40;
  for (const std::size_t size : {m, n, k, lda, ldb, ldc})
    if (size > most) return invalid_value;
  const auto s = [](std::size_t size) { return static_cast<index_t>(size); };
  const product_shape shape = shape_of<T>(of_a, of_b, s(m), s(n), s(k), s(lda), s(ldb), s(ldc));
  if (const status wrong = check(shape); wrong != success) return wrong;
  const in_context here(h->context);
  const bool a_is_plain = of_a == 0, b_is_plain = of_b == 0;
  const copy_of<T> on_device[] = {{a, s(a_is_plain ? m : k), s(a_is_plain ? k : m), s(lda)},
                                  {b, s(b_is_plain ? k : n), s(b_is_plain ? n : k), s(ldb)},
                                  {c, s(m), s(n), s(ldc)}};
  for (const auto& matrix : on_device)
    if (matrix.made() != success) return matrix.made();
  const status done = attempt(&h->one, name, [&](routine& r) -> status {
    return multiply_one(r, shape, alpha, on_device[0].get(), on_device[1].get(), beta, on_device[2].get());
  });
  return done == success ? on_device[2].put_back() : done;
}

}  // namespace

CUDA_API int cublasXtCreate(xt_handle** made) { return library::make(made); }
CUDA_API int cublasXtDestroy(xt_handle* h) {
  if (h != nullptr && h->context != nullptr) cuDevicePrimaryCtxRelease_v2(0);
  return library::close(h);
}
CUDA_API int cublasXtDeviceSelect(xt_handle* h, int count, const int* devices) {
  if (h == nullptr) return not_initialized;
  if (count != 1 || devices == nullptr || devices[0] != 0) return invalid_value;
  if (h->context != nullptr) return success;
  return cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&h->context, 0) == 0 ? success : execution_failed;
}
CUDA_API int cublasXtGetNumBoards(int count, const int* devices, int* boards) {
  return count != 1 || devices == nullptr ? int{invalid_value} : library::put(boards, 1);
}
CUDA_API int cublasXtMaxBoards(int* boards) { return library::put(boards, 1); }
CUDA_API int cublasXtSetBlockDim(xt_handle* h, int size) {
  return size <= 0 ? int{invalid_value} : library::set(h, &xt_handle::block, size);
}
CUDA_API int cublasXtGetBlockDim(xt_handle* h, int* size) { return library::get(h, &xt_handle::block, size); }
CUDA_API int cublasXtSetPinningMemMode(xt_handle* h, int mode) {
  return mode != 0 && mode != 1 ? int{invalid_value} : library::set(h, &xt_handle::pinning, mode);
}
CUDA_API int cublasXtGetPinningMemMode(xt_handle* h, int* mode) { return library::get(h, &xt_handle::pinning, mode); }

#define GEMM(S, T)                                                                                              \
  CUDA_API int cublasXt##S##gemm(xt_handle* h, int of_a, int of_b, std::size_t m, std::size_t n, std::size_t k, \
                                 const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb,      \
                                 const T* beta, T* c, std::size_t ldc) {                                        \
    return multiply(h, "cublasXt" #S "gemm", of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);         \
  }
GEMM(S, float)
GEMM(D, double)
GEMM(C, std::complex<float>)
GEMM(Z, std::complex<double>)
