// The folders of the compiler and of the system, in which users do not change single files.
#pragma once

#include <string_view>

namespace bankwise::cli {

// Whether the path is in a folder of the compiler or of the system. The folder's name may end with a number:
// /usr/lib64, /usr/local/cuda-13.0.
inline bool is_of_system(std::string_view path) {
  for (const std::string_view folder : {"/usr/include", "/usr/lib", "/lib", "/usr/local/cuda", "/opt/cuda"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view rest = path.substr(folder.size());
    const std::size_t end = rest.find_first_not_of("-.0123456789x");
    if (end == std::string_view::npos || rest[end] == '/') return true;
  }
  return false;
}

}  // namespace bankwise::cli
