// cuSOLVER's functions for elements of a type that is an argument.
#include "math/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/cusolver_any.def"
