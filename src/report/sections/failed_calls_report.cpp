#include "report/sections/failed_calls_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_refused = 12;  // largest number of items in the text

std::string name_of_kernel(const report& r, const refused_launches& l) {
  return l.kernel.empty() ? "an unknown kernel" : shown_name(r, l.kernel);
}

std::string refused_item(const refused_launches& l) {
  std::string text = formatted("grid {}, block {}{}: {}", triple(l.grid), triple(l.block),
                               l.dynamic_shared_bytes == 0 ? ""
                                                           : formatted(", {} of dynamic shared memory",
                                                                       count_of(l.dynamic_shared_bytes, "byte")),
                               l.error);
  text += formatted("\n   {}", l.why);
  text += l.launches == 1 ? formatted("\n   it was launch {} of the program", grouped(l.number))
                          : formatted("\n   {} launches; the first was launch {} of the program", grouped(l.launches),
                                      grouped(l.number));
  text += l.handled ? ", which looked at the error" : ", which did not look at the error";
  for (const std::string& line : l.trail) text += formatted("\n   {}", line);
  if (!l.hint.empty()) text += formatted("\n   {}", l.hint);
  return text + "\n";
}

}  // namespace

std::string refused_text(const report& r, const style& s) {
  if (r.refused.empty()) return {};
  std::uint64_t launches = 0;
  for (const refused_launches& l : r.refused) launches += l.launches;
  std::string text = formatted("{}: CUDA returned an error, and the kernel did not run\n",
                               s.bad(formatted("{} failed", count_of(launches, "launch", "launches"))));
  for (std::size_t i = 0; i < std::min(r.refused.size(), most_refused); ++i)
    text += formatted("\n{} {}\n   {}", s.strong(formatted("{}.", i + 1)), s.bad(name_of_kernel(r, r.refused[i])),
                      refused_item(r.refused[i]));
  if (r.refused.size() > most_refused)
    text += formatted("\n... and {} more. The JSON report lists all\n", grouped(r.refused.size() - most_refused));
  return text;
}

std::string ignored_errors_text(const report& r, const style& s, std::size_t& left) {
  if (r.ignored_errors.empty()) return {};
  std::string text =
      formatted("{}: the program did not look at the errors of these calls\n", s.strong("errors of CUDA"));
  std::size_t listed = 0;
  for (const failed_calls& c : r.ignored_errors) {
    if (left == 0) return text + formatted("  ... and {} more\n", r.ignored_errors.size() - listed);
    --left;
    ++listed;
    text += formatted("  {}  {}, {}", c.function, c.error, count_of(c.calls, "call"));
    if (!c.trail.empty()) text += formatted("; {}{}", c.calls == 1 ? "" : "first ", c.trail.front());
    text += "\n";
  }
  return text;
}

std::string unhandled_sentence(const report& r) {
  std::uint64_t launches = 0;
  const refused_launches* first = nullptr;
  for (const refused_launches& l : r.refused) {
    if (l.handled) continue;
    launches += l.launches;
    if (first == nullptr) first = &l;
  }
  if (first == nullptr) return {};
  return formatted("{} failed with an error that the program did not look at. The first was {}: {}, {}",
                   count_of(launches, "launch", "launches"), name_of_kernel(r, *first), first->error, first->why);
}

}  // namespace bankwise
