// cuBLAS's functions that multiply matrices.
#include "math/blas/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/blas/cublas_products.def"
