// A program as nvcc would have made it from a file with a kernel, made without nvcc: its cubin is one that ships with the
// sources. Transposes a matrix, says PASS, and exits with the status that it is given.
//     host_program [STATUS]      host_program fault      host_program freed      host_program killed
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
int cudaFree(void*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaDeviceSynchronize();
const char* cudaGetErrorName(int);
}

int main(int argc, char** argv) {
  using namespace bankwise::test;
  static char stub;
  const std::vector<std::byte> image = fatbin_of(read_bytes(source_path("examples/transpose.cubin")));
  const fatbin_wrapper wrapper{0x466243b1, 1, image.data(), nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &stub, &stub, "_Z15transpose_plainPfPKfi", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(handle);

  const bool faults = argc > 1 && std::strcmp(argv[1], "fault") == 0;
  const bool frees = argc > 1 && std::strcmp(argv[1], "freed") == 0;
  int n = 64;
  void *out = nullptr, *in = nullptr;
  std::vector<float> values(64 * 64), got(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  cudaMalloc(&out, sizeof(float) * (faults ? 64 : values.size()));
  cudaMalloc(&in, sizeof(float) * values.size());
  cudaMemcpy(in, values.data(), sizeof(float) * values.size(), 1);
  if (frees) cudaFree(in);
  void* arguments[] = {&out, &in, &n};
  for (int i = 0; i < 3; ++i) cudaLaunchKernel(&stub, {2, 2, 1}, {32, 8, 1}, arguments, 0, nullptr);
  if (argc > 1 && std::strcmp(argv[1], "killed") == 0) std::raise(SIGKILL);
  std::printf("the device says %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(got.data(), out, sizeof(float) * values.size(), 2);
  std::printf("%s\n", got[1] == values[64] ? "PASS" : "FAIL");
  return argc > 1 && !faults && !frees ? std::atoi(argv[1]) : 0;
}
