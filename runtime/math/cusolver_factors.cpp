// cuSOLVER's factorizations, and what is solved by them.
#include "math/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/cusolver_factors.def"
