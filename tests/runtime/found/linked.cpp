// Calls the CUDA runtime and driver that this program is linked with.
#include <cstdio>

extern "C" {
int cudaRuntimeGetVersion(int*);
int cudaGetDeviceCount(int*);
int cuDeviceGetCount(int*);
}

int main() {
  int version = 0, devices = 0, same_devices = 0;
  cudaRuntimeGetVersion(&version);
  cudaGetDeviceCount(&devices);
  cuDeviceGetCount(&same_devices);
  std::printf("runtime %d: %d device; driver: %d\n", version, devices, same_devices);
}
