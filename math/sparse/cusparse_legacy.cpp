// cuSPARSE's functions whose matrices are arguments of their own.
#include "math/sparse/cusparse_entries.hpp"

using namespace bankwise::math;

#include "math/sparse/cusparse_legacy.def"
