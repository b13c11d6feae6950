#include "timing/multiprocessor/instruction_fetch.hpp"

#include <algorithm>
#include <limits>

namespace bankwise::timing {

namespace {

constexpr double not_fetched = std::numeric_limits<double>::infinity();
constexpr std::uint32_t instructions_of_line = 8;
constexpr std::size_t ahead = 8;  // lines that are fetched at the same time

}  // namespace

instruction_fetch::instruction_fetch(const gpu_parameters& p, std::size_t instructions, double active, bool is_free,
                                     bool comes_at_once)
    : p_(p),
      active_(active),
      is_free_(is_free),
      comes_at_once_(comes_at_once),
      lines_(instructions / instructions_of_line + 2, not_fetched),
      is_ahead_(static_cast<double>(lines_.size()) <= p.code_ahead_lines) {}

// Fetches a line, which arrives at the time `arrives`, and lines after it.
void instruction_fetch::fetch(std::size_t line, double arrives) {
  if (comes_at_once_) return lines_.assign(lines_.size(), arrives);
  lines_[line] = arrives;
  const double gap = p_.code_ahead_gap + p_.code_ahead_turn * active_;
  for (std::size_t i = line + 1; i < lines_.size() && (is_ahead_ || i < line + ahead); ++i) {
    arrives += i < line + ahead ? p_.code_cold_gap : gap;
    if (lines_[i] <= arrives) break;  // the fetch of an earlier line brings this line and the lines after it
    lines_[i] = arrives;
  }
}

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
    fetch(line, std::max(at, 0.0) + cold());
  } else if (arrives > at + (is_ahead_ ? 1 : 3) * cold()) {
    // Code that was jumped to arrives before its turn. So does code that a warp with a clock of its own fetches later.
    fetch(line, at + cold());
  } else if (!is_ahead_ && line + ahead < lines_.size() && lines_[line + ahead] == not_fetched) {
    lines_[line + ahead] = std::max(at + cold(), lines_[line + ahead - 1] + p_.code_stream_gap);
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
  double& arrives = constants_.try_emplace(c.constant_line, at + latency).first->second;
  if (arrives > at + 2 * latency) arrives = at + latency;  // a warp with a clock of its own fetches it later
  return arrives;
}

}  // namespace bankwise::timing
