// cuSOLVER's eigenvalues and singular values.
#include "math/solver/cusolver_entries.hpp"

using namespace bankwise::math;

#include "math/solver/cusolver_spectra.def"
