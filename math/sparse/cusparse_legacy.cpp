// cuSPARSE's functions that take the arrays of a matrix as separate arguments.
#include "math/sparse/cusparse_entries.hpp"

using namespace bankwise::math;

#include "math/sparse/cusparse_legacy.def"
