// Options for the text of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bankwise {

// How much the text shows of each fix in a report.
enum class fix_text {
  line,  // one line for each finding; --fix shows the rest
  code,  // also the code of each fix
};

struct run_text_options {
  bool all = false;  // every instruction, not only those with a finding
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // the search for fixes stopped before it had tried all arrays
  // Returns the text of a source line, or nothing.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace bankwise
