// Launches the kernels of a cubin one after another, so that Nsight Compute can count their instructions. Saves the
// memory that the kernels write.
//
//     launch paths.list FAMILY.cubin FAMILY results.bin [FIRST [COUNT]]
//
// A row of paths.list has the family, kernel, blocks, threads, two arguments, and the number of result words.
// results.bin contains the words of each kernel, one kernel after another.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

static void require(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(r));
  std::_Exit(1);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const unsigned first = argc > 5 ? std::atoi(argv[5]) : 0, count = argc > 6 ? std::atoi(argv[6]) : ~0u;
  std::ifstream in(argv[2], std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(in), {}};
  CUdevice device;
  CUcontext context;
  CUmodule module;
  require(cuInit(0), "cuInit");
  require(cuDeviceGet(&device, 0), "cuDeviceGet");
  require(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  require(cuModuleLoadData(&module, cubin.data()), "cuModuleLoadData");
  CUdeviceptr out;
  require(cuMemAlloc(&out, 1 << 20), "cuMemAlloc");
  std::ofstream results(argv[4], std::ios::binary);
  std::ifstream list(argv[1]);
  unsigned n = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream row(line);
    std::string family, kernel;
    unsigned blocks, threads, words;
    std::uint32_t seed, some;
    row >> family >> kernel >> blocks >> threads >> seed >> some >> words;
    if (family != argv[3] || n++ < first || n > std::uint64_t{first} + count) continue;
    CUfunction function;
    require(cuModuleGetFunction(&function, module, kernel.c_str()), kernel.c_str());
    require(cuMemsetD32(out, 0, words), "cuMemsetD32");
    void* arguments[] = {&out, &seed, &some};
    require(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr), kernel.c_str());
    std::vector<std::uint32_t> got(words);
    require(cuMemcpyDtoH(got.data(), out, words * 4), kernel.c_str());
    results.write(reinterpret_cast<const char*>(got.data()), words * 4);
    results.flush();
  }
  return 0;
}
