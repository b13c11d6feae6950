// Options for the text of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bankwise {

// How much of the fixes in a report its text shows.
enum class fix_text {
  line,  // one for each finding; --fix shows the rest
  code,  // and the code of each
};

struct run_text_options {
  bool all = false;  // every instruction, not only those with a finding
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // the search for fixes ended before it had seen all arrays
  // The text of a source line, or nothing.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace bankwise
