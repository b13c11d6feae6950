// The sites of a launch by the lines of its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

// A source line with the indices of its sites in launch_report::sites, and their sums.
struct source_line {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::size_t> sites;
  totals sum;
};
// Lines in the order of files and lines; sites without a line come last, as file "" line 0.
std::vector<source_line> by_line(const launch_report& l);

// A source line with more wavefronts than `reachable`: the indices of its sites with such wavefronts, the worst first.
struct costly_line {
  std::vector<std::size_t> sites;
  std::uint64_t removable = 0, queued = 0;
  std::uint64_t saved_cycles = 0;  // for the launch, without these wavefronts; 0 if times are not predicted
};
// The largest saving of time is first if it is predicted, otherwise the largest number. A site without a line is a
// separate entry.
std::vector<costly_line> costly_lines(const launch_report& l);

}  // namespace bankwise
