#include "math/common/library_version.hpp"

// The build defines this macro for each soname (math/CMakeLists.txt).
#ifndef BANKWISE_LIBRARY_VERSION
#error "BANKWISE_LIBRARY_VERSION is not defined. Define it as major,minor,patch, as math/CMakeLists.txt does"
#endif

namespace bankwise::math {

const version_number library_version{BANKWISE_LIBRARY_VERSION};

}  // namespace bankwise::math
