// A program that calls cuBLAS's products or cuDNN's convolutions between its kernels, in its own stream and in a graph.
// It is built without nvcc, because its cubin is in the source tree. Prints PASS if the results are right.
//     library_program [LIBRARY]      opens the library by this path
#include <dlfcn.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "support/registered_kernel.hpp"

namespace {

using namespace bankwise::cuda;
using namespace bankwise::test;
constexpr int side = 64;
char stub;

template <class F>
F* find(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

void transpose(float* to, float* from, stream* on) {
  int n = side;
  void* arguments[] = {&to, &from, &n};
  cudaLaunchKernel(&stub, {side / 32, side / 32, 1}, {32, 8, 1}, arguments, 0, on);
}

// Returns a function that computes c = b * b with cuBLAS in a stream.
std::function<void(float* c, const float* b)> squares_by_cublas(void* cublas, stream* on) {
  void* handle = nullptr;
  find<int(void**)>(cublas, "cublasCreate_v2")(&handle);
  find<int(void*, void*)>(cublas, "cublasSetStream_v2")(handle, on);
  auto* const multiply = find<int(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                                  const float*, float*, int)>(cublas, "cublasSgemm_v2");
  return [=](float* c, const float* b) {
    const float one = 1, zero = 0;
    multiply(handle, 0, 0, side, side, side, &one, b, side, b, side, &zero, c, side);
  };
}
// Returns a function that computes c = b * b with cuDNN, as a convolution with 1 x 1 filters. The columns of b are the
// channels of an image, and each column of c is a weighted sum of these columns.
std::function<void(float* c, const float* b)> squares_by_cudnn(void* cudnn, stream* on) {
  void *handle = nullptr, *image = nullptr, *filter = nullptr, *how = nullptr;
  find<int(void**)>(cudnn, "cudnnCreate")(&handle);
  find<int(void*, void*)>(cudnn, "cudnnSetStream")(handle, on);
  find<int(void**)>(cudnn, "cudnnCreateTensorDescriptor")(&image);
  find<int(void**)>(cudnn, "cudnnCreateFilterDescriptor")(&filter);
  find<int(void**)>(cudnn, "cudnnCreateConvolutionDescriptor")(&how);
  find<int(void*, int, int, int, int, int, int)>(cudnn, "cudnnSetTensor4dDescriptor")(image, 0, 0, 1, side, side, 1);
  find<int(void*, int, int, int, int, int, int)>(cudnn, "cudnnSetFilter4dDescriptor")(filter, 0, 0, side, side, 1, 1);
  find<int(void*, int, int, int, int, int, int, int, int)>(cudnn, "cudnnSetConvolution2dDescriptor")(how, 0, 0, 1, 1, 1,
                                                                                                     1, 1, 0);
  auto* const convolve = find<int(void*, const float*, void*, const float*, void*, const float*, void*, int, void*,
                                  std::size_t, const float*, void*, float*)>(cudnn, "cudnnConvolutionForward");
  return [=](float* c, const float* b) {
    const float one = 1, zero = 0;
    convolve(handle, &one, image, b, filter, b, how, 0, nullptr, 0, &zero, image, c);
  };
}

}  // namespace

int main(int count, char** arguments) {
  void* const library = ::dlopen(count > 1 ? arguments[1] : "libcublas.so.13", RTLD_NOW);
  if (library == nullptr) {
    std::printf("%s\n", ::dlerror());
    return 1;
  }
  register_kernel("examples/transpose.cubin", "_Z15transpose_plainPfPKfi", &stub);

  stream* on = nullptr;
  graph* captured = nullptr;
  graph_exec* exec = nullptr;
  cudaStreamCreateWithFlags(&on, 1);
  const bool is_cudnn = ::dlsym(library, "cudnnCreate") != nullptr;
  const auto square = is_cudnn ? squares_by_cudnn(library, on) : squares_by_cublas(library, on);
  std::vector<float> values(side * side);
  for (int i = 0; i < side * side; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i % 7 - 3);
  float *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
  for (float** p : {&a, &b, &c, &d}) cudaMalloc(reinterpret_cast<void**>(p), values.size() * sizeof(float));
  cudaMemcpy(a, values.data(), values.size() * sizeof(float), host_to_device);
  // Computes b = a', c = b * b and d = c'. The work runs once directly, and twice as a graph.
  const auto work = [&] {
    transpose(b, a, on);
    square(c, b);
    transpose(d, c, on);
  };
  work();
  cudaStreamBeginCapture(on, 0);
  work();
  cudaStreamEndCapture(on, &captured);
  cudaGraphInstantiate(&exec, captured, 0);
  cudaGraphLaunch(exec, on);
  cudaGraphLaunch(exec, on);
  std::vector<float> got(values.size());
  cudaMemcpy(got.data(), d, got.size() * sizeof(float), device_to_host);
  bool right = true, zeros = true;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      float sum = 0;  // an element of d, computed on the CPU
      for (int k = 0; k < side; ++k)
        sum += values[static_cast<std::size_t>(i * side + k)] * values[static_cast<std::size_t>(k * side + j)];
      right &= got[static_cast<std::size_t>(j * side + i)] == sum;
      zeros &= got[static_cast<std::size_t>(j * side + i)] == 0;
    }
  std::printf("%s\n", right ? "PASS" : zeros ? "zeros" : "FAIL");
  return right || zeros ? 0 : 1;
}
