// cuBLAS's functions that multiply matrices.
#include "math/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/cublas_products.def"
