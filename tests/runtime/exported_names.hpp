// Reads the names that the runtime of a CUDA version exports. A line of exports_cudart.txt counts if it has no version
// number, or the number of this version.
#pragma once

#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::test {

inline std::vector<std::string> exported_names(int major) {
  std::vector<std::string> names;
  const std::string text = read_text(source_path("runtime/cudart/exports_cudart.txt"));
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (!line.empty() && (space == line.npos || line.substr(space + 1) == std::to_string(major)))
      names.emplace_back(line.substr(0, space));
  }
  return names;
}

}  // namespace bankwise::test
