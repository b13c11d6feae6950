// cuBLAS's functions for triangles and symmetric matrices.
#include "math/blas/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/blas/cublas_triangles.def"
