// Options for the text of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bankwise {

// What the text of a report shows about each fix.
enum class fix_text {
  line,  // one line; the code is shown with --fix
  code,  // one line and the code
};

struct run_text_options {
  bool all = false;  // whether to show every instruction, and not only those with a finding
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // whether the search for fixes stopped before all arrays were searched
  // Returns the text of a source line, or an empty string.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace bankwise
