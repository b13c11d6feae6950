#include "timing/instruction_fetch.hpp"

#include <algorithm>
#include <limits>

namespace bankwise::timing {

namespace {

constexpr double not_fetched = std::numeric_limits<double>::infinity();
constexpr std::uint32_t instructions_of_line = 8;

}  // namespace

instruction_fetch::instruction_fetch(const gpu_parameters& p, std::size_t instructions, double active, bool is_free)
    : p_(p), active_(active), is_free_(is_free), lines_(instructions / instructions_of_line + 2, not_fetched) {}

// All multiprocessors fetch the same line, and L2 serves them one after another (cold()).
double instruction_fetch::code(position& at_warp, std::vector<std::uint32_t>& of_quarter, std::uint32_t code,
                               double at) {
  const std::uint32_t line = code / instructions_of_line;
  if (line == at_warp.line) return at;
  const bool follows = line == at_warp.line + 1;
  const double since = at_warp.since;
  at_warp = {line, at};
  if (is_free_) return at;
  double& arrives = lines_[std::min<std::size_t>(line, lines_.size() - 1)];
  if (arrives == not_fetched) {
    arrives = std::max(at, 0.0) + cold();
    // The next seven lines are fetched at the same time as this line.
    for (std::size_t i = 1; i < 8 && line + i < lines_.size(); ++i) {
      double& later = lines_[line + i];
      later = std::min(later, arrives + p_.code_cold_gap * static_cast<double>(i));
    }
  } else if (line + 8 < lines_.size() && lines_[line + 8] == not_fetched) {
    lines_[line + 8] = std::max(at + cold(), lines_[line + 7] + p_.code_stream_gap);
  }
  double there = std::max(at, arrives);
  const std::size_t slot = line % of_quarter.size();
  if (of_quarter[slot] != line) {
    of_quarter[slot] = line;
    // In sequential code, the next line is fetched during the execution of a line.
    there = std::max(there, follows ? since + p_.code_next_gap : at + p_.code_l1_latency);
  }
  at_warp.since = there;
  return there;
}

double instruction_fetch::constant(const instruction_cost& c, double at) {
  const double latency = c.constant_line < constant_lines ? p_.constant_cold_latency : p_.constant_memory_latency;
  return constants_.try_emplace(c.constant_line, at + latency).first->second;
}

}  // namespace bankwise::timing
