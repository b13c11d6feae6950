// Options for the text of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bankwise {

// How much of each fix the text of a report shows.
enum class fix_text {
  line,  // one line for each finding; --fix shows more
  code,  // one line for each finding, and the code of each fix
};

struct run_text_options {
  bool all = false;  // show every instruction, not only those with a finding
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // whether the search for fixes stopped before it had tried all arrays
  // Returns the text of a source line, or an empty text.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace bankwise
