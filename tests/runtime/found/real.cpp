// Imitates CUDA's own libraries, which must not be called: each function ends the program. With -DOTHER, the file
// imitates a library with a similar name, whose functions return 7.
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
