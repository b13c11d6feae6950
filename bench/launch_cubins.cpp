// Loads cubins and launches their kernels as a plan says: a line has cubin, kernel, grid x y z, threads, shared memory, and the bytes of each buffer.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
static void require(CUresult e, const char* what) {
  if (e) {
    const char* s = "";
    cuGetErrorString(e, &s);
    printf("%s: %s\n", what, s);
    exit(2);
  }
}
#define CHECK(x) require(x, #x)
int main(int argc, char** argv) {
  const int only = argc > 2 ? atoi(argv[2]) : -1;
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  std::ifstream plan(argv[1]);
  std::string line, folder = argv[1];
  folder = folder.find('/') == std::string::npos ? "" : folder.substr(0, folder.rfind('/') + 1);
  for (int number = 0; std::getline(plan, line); ++number) {
    if (only >= 0 && number != only) continue;
    std::istringstream words(line);
    std::string label, cubin, kernel;
    unsigned x, y, z, threads, shared;
    words >> label >> cubin >> kernel >> x >> y >> z >> threads >> shared;
    CUmodule module;
    CHECK(cuModuleLoad(&module, (folder + cubin).c_str()));
    CUfunction function;
    CHECK(cuModuleGetFunction(&function, module, kernel.c_str()));
    if (shared > 48 * 1024)
      CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
    std::vector<CUdeviceptr> buffers;
    std::vector<void*> arguments;
    for (size_t bytes; words >> bytes;) {
      CUdeviceptr p = 0;
      if (bytes) {
        CHECK(cuMemAlloc(&p, bytes));
        CHECK(cuMemsetD16(p, 0x2c00, bytes / 2));
      }
      buffers.push_back(p);
    }
    for (CUdeviceptr& p : buffers) arguments.push_back(&p);
    for (int t = 0; t < (getenv("TWICE") ? 2 : 1); ++t)
      CHECK(cuLaunchKernel(function, x, y, z, threads, 1, 1, shared, 0, arguments.data(), nullptr));
    CHECK(cuCtxSynchronize());
    printf("%d,%s %s\n", number, label.c_str(), kernel.c_str());
    for (CUdeviceptr p : buffers)
      if (p) cuMemFree(p);
    cuModuleUnload(module);
  }
}
