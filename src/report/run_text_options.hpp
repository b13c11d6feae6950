// What the text of a report shows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bankwise {

struct run_text_options {
  bool all = false;          // every instruction, not only those with a finding
  bool suggest_fix = false;  // say that there is --fix
  // The text of a source line, or nothing.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace bankwise
