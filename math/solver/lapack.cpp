#include "math/solver/lapack.hpp"

namespace bankwise::math {

const host_library& the_lapack() {
  static const host_library& found = *new host_library([] {
    host_library l = find_host_library("liblapack.so.3", {"dgetrf", "zheevd"});
    if (l.library == nullptr)
      cuda::say(
          "cuSOLVER needs a LAPACK library on the host, but bankwise did not find one. Install Debian's packages "
          "libopenblas0 and liblapack3, or import numpy in the program");
    return l;
  }());
  return found;
}

std::string detail::name_for_complex(std::string_view name) {
  std::string text(name);
  if (name.substr(0, 2) == "or") text.replace(0, 2, "un");
  for (const std::string_view symmetric : {"syevd", "sygvd", "sytrd"})
    if (name == symmetric) text.replace(0, 2, "he");
  return text;
}

}  // namespace bankwise::math
