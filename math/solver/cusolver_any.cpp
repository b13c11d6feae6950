// cuSOLVER's functions whose element type is an argument.
#include "math/solver/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/solver/cusolver_any.def"
