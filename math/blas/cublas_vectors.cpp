// cuBLAS's functions for vectors.
#include "math/blas/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/blas/cublas_vectors.def"
