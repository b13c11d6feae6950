// A program that loads its kernels itself, through the CUDA driver, from a cubin in the source tree. It
// transposes a matrix and prints PASS.
//     driver_program CUBIN
#include <cstddef>
#include <cstdio>
#include <vector>

// Declares functions of the driver. This program includes no header of this project, because the checks of packages
// also compile it on machines that only have the package.
extern "C" {
struct context;
struct module;
struct function;
struct stream;
using device_pointer = unsigned long long;
int cuInit(unsigned flags);
int cuCtxCreate_v2(context**, unsigned flags, int device);
int cuModuleLoad(module**, const char* file);
int cuModuleGetFunction(function**, module*, const char* name);
int cuGetErrorName(int status, const char** name);
int cuMemAlloc_v2(device_pointer*, std::size_t bytes);
int cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes);
int cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes);
int cuLaunchKernel(function*, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, stream*, void** arguments, void** extra);
}

int main(int argc, char** argv) {
  context* made = nullptr;
  module* code = nullptr;
  function* transpose = nullptr;
  if (argc != 2 || cuInit(0) != 0 || cuCtxCreate_v2(&made, 0, 0) != 0) return 1;
  if (const int status = cuModuleLoad(&code, argv[1]); status != 0) {
    const char* name = nullptr;
    cuGetErrorName(status, &name);
    std::printf("cannot load: %s\n", name);
    return 1;
  }
  if (cuModuleGetFunction(&transpose, code, "_Z15transpose_plainPfPKfi") != 0) return 1;
  int n = 64;
  device_pointer out = 0, in = 0;
  std::vector<float> values(64 * 64), got(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  cuMemAlloc_v2(&out, sizeof(float) * values.size());
  cuMemAlloc_v2(&in, sizeof(float) * values.size());
  cuMemcpyHtoD_v2(in, values.data(), sizeof(float) * values.size());
  void* arguments[] = {&out, &in, &n};
  cuLaunchKernel(transpose, 2, 2, 1, 32, 8, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH_v2(got.data(), out, sizeof(float) * values.size());
  std::printf("%s\n", got[1] == values[64] ? "PASS" : "FAIL");
  return 0;
}
