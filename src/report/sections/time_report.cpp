#include "report/sections/time_report.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/parts/time_bound.hpp"

namespace bankwise {

std::vector<clock_row> clock_rows(const time_bound& b) {
  std::vector<clock_row> rows = {{"shared pipe", b.shared_cycles, b.shared_cycles_reachable,
                                  b.shared_cycles_reachable < b.shared_cycles
                                      ? formatted("; {}{}", grouped(b.shared_cycles_reachable),
                                                  b.by_data ? " without conflicts" : " with the best layout")
                                      : ""},
                                 {"issue", b.issue_cycles, b.issue_cycles, ", at 4 warp instructions a clock"}};
  if (b.tensor_cycles != 0)
    rows.push_back({"tensor cores", b.tensor_cycles, b.tensor_cycles, ", for wgmma at its full rate"});
  return rows;
}

namespace {

// A resource of a predicted time, in words.
std::string words_of_resource(const std::string& name) {
  static const std::map<std::string, std::string> words = {{"issue", "instruction issue"},
                                                           {"data_stage", "the pipe of shared memory and L1"},
                                                           {"pipes", "arithmetic pipes"},
                                                           {"l2", "L2"},
                                                           {"dram", "DRAM"},
                                                           {"latency", "memory latency"},
                                                           {"launch", "launch and cold instructions"},
                                                           {"barriers", "barriers"}};
  const auto it = words.find(name);
  return it == words.end() ? name : it->second;
}

}  // namespace

std::string predicted_sentence(const predicted_time& t) {
  std::string text = "It takes about " + grouped(t.cycles) + " cycles (" + grouped(t.cycles_low) + " to " +
                     grouped(t.cycles_high) + "), " + fixed(static_cast<double>(t.nanoseconds) / 1000, 1) +
                     " us, on an " + t.gpu + " with " + t.caches + " caches";
  text += ". ";
  if (t.shares.empty()) return text + "No single resource bounds it.";
  text += "Without ";
  for (std::size_t i = 0; i < t.shares.size() && i < 3; ++i)
    text += (i == 0 ? "" : "; without ") + words_of_resource(t.shares[i].first) + (i == 0 ? " it would take " : " ") +
            std::to_string(t.shares[i].second) + "% less";
  return text + ".";
}

std::string ratio_text(std::uint64_t before, std::uint64_t after) {
  return fixed(static_cast<double>(before) / static_cast<double>(after), 1);
}

std::string fine_ratio_text(std::uint64_t before, std::uint64_t after) {
  const double ratio = static_cast<double>(before) / static_cast<double>(after);
  return fixed(ratio, ratio < 1.995 ? 2 : 1);
}

std::string time_sentence(const time_bound& b, std::string (*ratio)(std::uint64_t before, std::uint64_t after)) {
  if (b.shared_cycles == 0) return "No instruction of this launch uses the shared-memory pipe.";
  const std::uint64_t others = std::max(b.issue_cycles, b.tensor_cycles);
  const std::uint64_t before = std::max(b.shared_cycles, others), after = std::max(b.shared_cycles_reachable, others);
  const std::string other = b.tensor_cycles > b.issue_cycles ? "the tensor cores take" : "issuing instructions takes";
  if (before == after && b.shared_cycles_reachable == b.shared_cycles)
    return b.shared_cycles > others
               ? "Shared memory takes longest (" + grouped(b.shared_cycles) + " clocks), and no layout shortens it."
               : formatted("No layout makes this kernel faster: {} longer than shared memory, {} clocks against {}.",
                           other, grouped(others), grouped(b.shared_cycles));
  if (before == after)
    return formatted(
        "Removing the bank conflicts alone does not make this kernel faster: {} longer than shared "
        "memory, {} clocks against {}.",
        other, grouped(others), grouped(b.shared_cycles));
  return formatted(
      "Without its bank conflicts this kernel could run up to {} times as fast, {} clocks instead of "
      "{}, if neither memory nor latency limits it.",
      ratio(before, after), grouped(after), grouped(before));
}

std::string win_sentence(const counts& c, const time_bound& b, const std::string& what) {
  if (removable(c) + queued(c) == 0)
    return "Nothing to save: " + what + " takes the fewest wavefronts that its words allow.";
  if (removable(c) == 0)
    return "Lanes queue for one word, which no layout changes: " + count_of(queued(c), "wavefront") +
           ". Combine them before the access.";
  const std::uint64_t gain = c.cycles - std::min(c.best_cycles, c.cycles);
  if (gain == 0)
    return "A layout removes wavefronts, but no clocks of the pipe: the passes of the register file, or the minimum "
           "of the operation, take as long.";
  const std::uint64_t others = std::max(b.issue_cycles, b.tensor_cycles), before = std::max(b.shared_cycles, others),
                      after = std::max(b.shared_cycles - std::min(gain, b.shared_cycles), others);
  const std::string rest = queued(c) == 0
                               ? ""
                               : " For " + grouped(queued(c)) +
                                     " more wavefronts, lanes queue for one word: combine them before the access.";
  if (before == after)
    return formatted(
        "It frees {} of the shared pipe, but saves no time by itself: {}, {} clocks instead of {}.{}",
        count_of(gain, "clock"),
        b.tensor_cycles > b.issue_cycles ? "the tensor cores take longer" : "issuing instructions takes longer",
        grouped(others), grouped(b.shared_cycles), rest);
  return formatted(
      "The launch could run up to {} times as fast, {} clocks instead of {}, if neither memory nor latency limits "
      "it.{}",
      fine_ratio_text(before, after), grouped(after), grouped(before), rest);
}

std::string longer_part(std::uint64_t shared, std::uint64_t issue, std::uint64_t tensor) {
  return formatted("{} longer than shared memory, {} clocks instead of {}",
                   tensor > issue ? "the tensor cores take" : "issuing instructions takes",
                   grouped(std::max(issue, tensor)), grouped(shared));
}

std::string time_text(const launch_report& l, const style& s) {
  const std::vector<clock_row> rows = clock_rows(bound_of(l));
  std::size_t name_width = 12, width = 0;
  for (const clock_row& row : rows) {
    name_width = std::max(name_width, row.name.size() + 1);
    width = std::max(width, grouped(row.clocks).size());
  }
  std::string text = s.strong("clocks of one multiprocessor") + "\n";
  for (const clock_row& row : rows)
    text += formatted("  {} {}{}\n", pad_right(row.name, name_width), pad_left(grouped(row.clocks), width), row.says);
  return text;
}

}  // namespace bankwise
