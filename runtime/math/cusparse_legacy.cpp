// cuSPARSE's functions whose matrices are arguments of their own.
#include "math/cusparse_entries.hpp"

using namespace bankwise::math;

#include "math/cusparse_legacy.def"
