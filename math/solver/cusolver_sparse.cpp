// cuSOLVER's functions for sparse matrices.
#include "math/solver/cusolver_entries.hpp"
#include "math/solver/sparse_systems.hpp"

using namespace bankwise::math;

#include "math/solver/cusolver_sparse.def"
