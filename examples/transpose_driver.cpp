// A program without nvcc: it loads a cubin through the CUDA driver, launches a kernel and checks the result on the CPU.
//     g++ examples/transpose_driver.cpp -o transpose_driver -L build/release/runtime/lib -lcuda
//     bankwise run ./transpose_driver examples/transpose.cubin
// If it is linked with NVIDIA's libcuda.so, it runs on a GPU of sm_90.
#include <cstdint>
#include <cstdio>
#include <vector>

// Declares the same functions as cuda.h, because cuda.h is only in the toolkit.
extern "C" {
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuModuleLoad(void** module, const char* file);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuMemAlloc_v2(std::uint64_t* at, std::size_t bytes);
int cuMemFree_v2(std::uint64_t at);
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes);
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes);
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** extra);
int cuGetErrorString(int status, const char** text);
}

namespace {

// Returns whether a call succeeded. If it failed, prints the error.
bool works(int status, const char* what) {
  if (status == 0) return true;
  const char* why = nullptr;
  cuGetErrorString(status, &why);
  std::fprintf(stderr, "%s: %s\n", what, why != nullptr ? why : "unknown error");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CUBIN\n", argv[0]);
    return 2;
  }
  constexpr int side = 256, tile = 32;
  constexpr std::size_t bytes = sizeof(float) * side * side;
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  if (!works(cuInit(0), "cuInit") || !works(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain") ||
      !works(cuCtxSetCurrent(context), "cuCtxSetCurrent") || !works(cuModuleLoad(&module, argv[1]), argv[1]) ||
      !works(cuModuleGetFunction(&kernel, module, "_Z15transpose_plainPfPKfi"), "transpose_plain"))
    return 1;

  std::vector<float> values(side * side), turned(side * side);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  std::uint64_t to = 0, from = 0;
  if (!works(cuMemAlloc_v2(&to, bytes), "cuMemAlloc") || !works(cuMemAlloc_v2(&from, bytes), "cuMemAlloc") ||
      !works(cuMemcpyHtoD_v2(from, values.data(), bytes), "cuMemcpyHtoD"))
    return 1;
  int n = side;
  void* arguments[] = {&to, &from, &n};
  if (!works(cuLaunchKernel(kernel, side / tile, side / tile, 1, tile, 8, 1, 0, nullptr, arguments, nullptr),
             "cuLaunchKernel") ||
      !works(cuMemcpyDtoH_v2(turned.data(), to, bytes), "cuMemcpyDtoH"))
    return 1;
  cuMemFree_v2(to);
  cuMemFree_v2(from);

  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      if (turned[static_cast<std::size_t>(x * side + y)] != values[static_cast<std::size_t>(y * side + x)]) {
        std::printf("transpose_plain: the result is wrong at row %d, column %d\n", x, y);
        return 1;
      }
  std::printf("transpose_plain: the result is the same as on the CPU\n");
  return 0;
}
