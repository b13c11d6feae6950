// cuSOLVER's factorizations and solvers.
#include "math/solver/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/solver/cusolver_factors.def"
