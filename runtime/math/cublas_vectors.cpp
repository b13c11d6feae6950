// cuBLAS's functions on vectors.
#include "math/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/cublas_vectors.def"
