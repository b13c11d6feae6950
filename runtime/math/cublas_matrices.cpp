// cuBLAS's functions on a matrix and vectors.
#include "math/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/cublas_matrices.def"
