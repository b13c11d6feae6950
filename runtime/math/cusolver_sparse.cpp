// cuSOLVER's functions for sparse matrices.
#include "math/cusolver_entries.hpp"
#include "math/sparse_systems.hpp"

using namespace bankwise::math;

#include "math/cusolver_sparse.def"
