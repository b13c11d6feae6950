// Plays CUDA's own libraries, of which no function may be called: each ends the program. With -DOTHER it plays a
// library that only has a name like theirs, and answers 7.
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
