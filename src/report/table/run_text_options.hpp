// Options for the text of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/cut_report.hpp"

namespace bankwise {

// What the text of a report shows about each fix.
enum class fix_text {
  line,  // the fix in one line; --fix shows the code
  code,  // the fix in one line, and its code
};

// The order of launches.
enum class launch_order { time, launched, name };

inline constexpr std::size_t most_findings_printed = 1'000'000;

struct run_text_options {
  bool all = false;  // whether to show all instructions, not only those with a finding
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // whether the search for fixes stopped before it had tried all arrays
  // Returns the text of a source line, or an empty string if the text is unknown.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
  writing_watch watch = {};
  launch_order order = launch_order::time;
  std::size_t print_limit = most_findings_printed;  // number of findings of checks that the text lists
};

}  // namespace bankwise
