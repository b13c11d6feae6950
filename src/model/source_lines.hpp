// Groups the sites of a launch by source line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

// A source line, with the indices of its sites in launch_report::sites and the sums of their counts.
struct source_line {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::size_t> sites;
  totals sum;
};
// Returns the lines, sorted by file and number. Sites without a line are last, with an empty file and line 0.
std::vector<source_line> by_line(const launch_report& l);

// A source line with more wavefronts than `reachable`. `sites` contains the indices of its sites with more wavefronts
// than `reachable`. The worst site is first.
struct costly_line {
  std::vector<std::size_t> sites;
  std::uint64_t removable = 0, queued = 0;
  // elapsed cycles that the launch saves without these wavefronts; 0 if times are not predicted
  std::uint64_t saved_cycles = 0;
};
// Returns the lines, sorted. If times are predicted, the line with the largest saving is first. Otherwise, the line
// with the most wavefronts above `reachable` is first. A site without a line is a separate entry.
std::vector<costly_line> costly_lines(const launch_report& l);

}  // namespace bankwise
