// cuBLAS's functions on triangles and symmetric matrices.
#include "math/cublas_entries.hpp"

using namespace bankwise::math;

#include "math/cublas_triangles.def"
