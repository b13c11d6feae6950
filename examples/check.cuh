// The host code of all examples: buffers on the GPU, and a comparison with the CPU's result.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    const cudaError_t status_ = (call);                                                     \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(2);                                                                         \
    }                                                                                       \
  } while (0)

template <class T>
class gpu_buffer {
 public:
  explicit gpu_buffer(std::size_t count) : count_(count) {
    CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
    CUDA_CHECK(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit gpu_buffer(const std::vector<T>& host) : gpu_buffer(host.size()) {
    CUDA_CHECK(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~gpu_buffer() { cudaFree(data_); }
  gpu_buffer(const gpu_buffer&) = delete;
  gpu_buffer& operator=(const gpu_buffer&) = delete;

  T* get() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> copy(count_);
    CUDA_CHECK(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Returns numbers that are the same on every machine. They are small, so that sums in float are exact.
inline std::vector<float> small_numbers(std::size_t count, unsigned seed) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>((i * 7 + seed * 13 + i / 11) % 9) - 4.0f;
  return v;
}

inline bool report_result(const char* kernel, bool right) {
  std::printf("%-24s %s\n", kernel, right ? "PASS" : "FAIL");
  return right;
}
