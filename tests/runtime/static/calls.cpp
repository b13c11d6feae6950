// A program that contains a runtime (own_runtime.hpp). It checks calls of the runtime, before main() and in main(). It
// also checks calls of the program's own functions with similar names.
#include <cstdio>

#include "runtime/cudart/entries.hpp"

using namespace bankwise::cuda;

extern "C" error cudaOfTomorrow();

static __attribute__((noinline, used)) int free_of_mine() __asm__("cudaFree");
static int free_of_mine() {
  std::puts("mine is mine");
  return 0;
}
static __attribute__((noinline, used)) int other_of_mine() __asm__("cudaOfMine");
static int other_of_mine() { return 3; }

static const int counted_early = [] {
  int n = 0;
  cudaGetDeviceCount(&n);
  return n;
}();

int main() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  std::printf("CUDA %d, %d device before main\n", version / 1000, counted_early);
  free_of_mine();
  const error tomorrow = cudaOfTomorrow();
  const int own = other_of_mine(), none = cudaProfilerStop() & 0xff;
  std::printf("%d, %s, %d\n", own, cudaGetErrorName(tomorrow), none);
  return cudaGetLastError();
}
