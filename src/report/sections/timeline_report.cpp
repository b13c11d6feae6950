#include "report/sections/timeline_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

std::string percent_of_program(std::uint64_t part, const program_timeline& t) {
  return formatted("{}%", fixed(100 * static_cast<double>(part) / static_cast<double>(t.nanoseconds), 0));
}

// Returns "kernels (30%, mostly axpy)" for a part of the critical path.
std::string waited_words(const timeline_part& p, const program_timeline& t) {
  std::string words = formatted("{} ({}", row_of(p.what.kind).many, percent_of_program(p.nanoseconds, t));
  for (const timeline_part& c : t.critical)
    if (p.what.kind == timeline_kind::kernel && c.what.kind == p.what.kind && 2 * c.nanoseconds > p.nanoseconds)
      words += formatted(", mostly {}", c.what.name);
  return words + ")";
}

// Returns the number of library calls, whose times are estimates: bankwise has no kernels for them.
std::uint64_t library_calls_of(const program_timeline& t) {
  std::uint64_t calls = 0;
  for (const timeline_operation& o : t.operations) calls += o.what.kind == timeline_kind::library ? o.count : 0;
  return calls;
}

bool has_predictions(const program_timeline& t) {
  const auto is_kernel = [](const timeline_operation& o) { return o.what.kind == timeline_kind::kernel; };
  return std::any_of(t.operations.begin(), t.operations.end(),
                     [&](const timeline_operation& o) { return is_kernel(o) && !o.what.bound.empty(); }) ||
         std::none_of(t.operations.begin(), t.operations.end(), is_kernel);
}

}  // namespace

std::string timeline_sentence(const report& r) {
  const program_timeline& t = r.timeline;
  if (!t || !has_predictions(t)) return {};
  std::vector<std::string> waits;
  constexpr std::size_t most_named = 3;
  constexpr std::uint64_t least_part = 20;  // a twentieth
  for (const timeline_part& p : t.waits)
    if (waits.size() < most_named && p.nanoseconds >= t.nanoseconds / least_part) waits.push_back(waited_words(p, t));
  std::string text =
      formatted("{} {} on {}, which is busy for {} of it; waits for {}", t.without_time == 0 ? "about" : "at least",
                duration_text(t.nanoseconds), with_article(t.gpu), percent_of_program(t.busy, t), enumerated(waits));
  if (t.without_time != 0)
    text += formatted("; {} without a predicted time", count_of(t.without_time, "launch", "launches"));
  if (const std::uint64_t estimated = library_calls_of(t); estimated != 0)
    text += formatted("; the times of {} are rough estimates", count_of(estimated, "library call"));
  return text;
}

std::string critical_path_table(const report& r, const style& s) {
  const program_timeline& t = r.timeline;
  if (timeline_sentence(r).empty()) return {};
  text_table table;
  table.left_first = 1;
  table.left_last = 1;
  table.rows.push_back({"  operation", "times", "time", "of the program", "grid", "block", "bound by"});
  for (const timeline_part& p : t.critical) {
    const bool is_kernel = p.what.kind == timeline_kind::kernel;
    table.rows.push_back({formatted("  {}", words_of(p.what)), grouped(p.count), duration_text(p.nanoseconds),
                          percent_of_program(p.nanoseconds, t), is_kernel ? triple(p.what.grid) : "",
                          is_kernel ? triple(p.what.block) : "",
                          p.what.bound.empty() ? "" : words_of_bound({.bound = p.what.bound})});
  }
  return formatted("{}  operations that a faster program must shorten\n{}", s.strong("critical path"), table.text(s));
}

}  // namespace bankwise
