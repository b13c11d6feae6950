// A program that loads its kernels itself, through the CUDA driver, from a cubin that ships with the sources. Transposes a
// matrix and says PASS.
//     driver_program CUBIN
#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" {
int cuInit(unsigned);
int cuCtxCreate_v2(void**, unsigned, int);
int cuModuleLoad(void**, const char*);
int cuModuleGetFunction(void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuGetErrorName(int, const char**);
}

int main(int argc, char** argv) {
  void *context = nullptr, *module = nullptr, *function = nullptr;
  if (argc != 2 || cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0) return 1;
  if (const int status = cuModuleLoad(&module, argv[1]); status != 0) {
    const char* name = nullptr;
    cuGetErrorName(status, &name);
    std::printf("cannot load: %s\n", name);
    return 1;
  }
  if (cuModuleGetFunction(&function, module, "_Z15transpose_plainPfPKfi") != 0) return 1;
  int n = 64;
  std::uint64_t out = 0, in = 0;
  std::vector<float> values(64 * 64), got(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  cuMemAlloc_v2(&out, sizeof(float) * values.size());
  cuMemAlloc_v2(&in, sizeof(float) * values.size());
  cuMemcpyHtoD_v2(in, values.data(), sizeof(float) * values.size());
  void* arguments[] = {&out, &in, &n};
  cuLaunchKernel(function, 2, 2, 1, 32, 8, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH_v2(got.data(), out, sizeof(float) * values.size());
  std::printf("%s\n", got[1] == values[64] ? "PASS" : "FAIL");
  return 0;
}
