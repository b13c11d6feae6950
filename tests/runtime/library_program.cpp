// A program with products of cuBLAS between its kernels, in a stream of its own and in a graph, made without nvcc: its cubin is one
// that ships with the sources. Says PASS, if the results are right.
//     library_program [LIBRARY]      opened by that path
#include <dlfcn.h>

#include <cstdio>
#include <vector>

#include "support/fatbin.hpp"
#include "support/files.hpp"

struct dim3 {
  unsigned x, y, z;
};
extern "C" {
void** __cudaRegisterFatBinary(const void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, void*);
int cudaMalloc(void**, std::size_t);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaStreamCreateWithFlags(void**, unsigned);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphLaunch(void*, void*);
}

namespace {

using namespace bankwise::test;
constexpr int side = 64;
char stub;

template <class F>
F* find(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

void transpose(float* to, float* from, void* on) {
  int n = side;
  void* arguments[] = {&to, &from, &n};
  cudaLaunchKernel(&stub, {side / 32, side / 32, 1}, {32, 8, 1}, arguments, 0, on);
}

}  // namespace

int main(int count, char** arguments) {
  void* const cublas = ::dlopen(count > 1 ? arguments[1] : "libcublas.so.13", RTLD_NOW);
  if (cublas == nullptr) {
    std::printf("%s\n", ::dlerror());
    return 1;
  }
  const auto image = fatbin_of(read_bytes(source_path("examples/transpose.cubin")));
  const fatbin_wrapper wrapper{0x466243b1, 1, image.data(), nullptr};
  void** registered = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(registered, &stub, &stub, "_Z15transpose_plainPfPKfi", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(registered);

  void *handle = nullptr, *on = nullptr, *graph = nullptr, *exec = nullptr;
  find<int(void**)>(cublas, "cublasCreate_v2")(&handle);
  cudaStreamCreateWithFlags(&on, 1);
  find<int(void*, void*)>(cublas, "cublasSetStream_v2")(handle, on);
  std::vector<float> values(side * side);
  for (int i = 0; i < side * side; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i % 7 - 3);
  float *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
  for (float** p : {&a, &b, &c, &d}) cudaMalloc(reinterpret_cast<void**>(p), values.size() * sizeof(float));
  cudaMemcpy(a, values.data(), values.size() * sizeof(float), 1);
  // b = a', c = b * b, d = c'; once now, twice by a graph.
  auto* const multiply = find<int(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                                  const float*, float*, int)>(cublas, "cublasSgemm_v2");
  const auto work = [&] {
    const float one = 1, zero = 0;
    transpose(b, a, on);
    multiply(handle, 0, 0, side, side, side, &one, b, side, b, side, &zero, c, side);
    transpose(d, c, on);
  };
  work();
  cudaStreamBeginCapture(on, 0);
  work();
  cudaStreamEndCapture(on, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, on);
  cudaGraphLaunch(exec, on);
  std::vector<float> got(values.size());
  cudaMemcpy(got.data(), d, got.size() * sizeof(float), 2);
  bool right = true, zeros = true;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      float sum = 0;  // of columns of b, which is a turned over, turned over once more
      for (int k = 0; k < side; ++k)
        sum += values[static_cast<std::size_t>(i * side + k)] * values[static_cast<std::size_t>(k * side + j)];
      right &= got[static_cast<std::size_t>(j * side + i)] == sum;
      zeros &= got[static_cast<std::size_t>(j * side + i)] == 0;
    }
  std::printf("%s\n", right ? "PASS" : zeros ? "zeros" : "FAIL");
  return right || zeros ? 0 : 1;
}
