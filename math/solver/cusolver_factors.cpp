// cuSOLVER's factorizations, and what is solved by them.
#include "math/solver/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/solver/cusolver_factors.def"
