// cuSOLVER's eigenvalues and singular values.
#include "math/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/cusolver_spectra.def"
