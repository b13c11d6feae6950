// Imitates CUDA's own libraries, whose functions must not be called: each ends the program. With -DOTHER, it imitates a
// library with a similar name, and returns 7.
#include <cstdlib>

#ifdef OTHER
#define FUNCTION(name) \
  int name(int* number) { return *number = 7, 0; }
#else
#define FUNCTION(name) \
  int name(int*) { std::abort(); }
#endif

extern "C" {
FUNCTION(cudaRuntimeGetVersion)
FUNCTION(cudaGetDeviceCount)
FUNCTION(cuDriverGetVersion)
FUNCTION(cuDeviceGetCount)
}
