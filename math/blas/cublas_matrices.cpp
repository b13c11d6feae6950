// cuBLAS's functions for a matrix and vectors.
#include "math/blas/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/blas/cublas_matrices.def"
