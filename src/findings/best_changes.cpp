#include "findings/best_changes.hpp"

#include <algorithm>

namespace bankwise::findings {

namespace {

constexpr std::size_t most_changes = 3;

// Returns the cycles of a launch after its first `n` changes. Returns 0 if they are not known.
std::uint64_t cycles_after(const launch_report& l, std::size_t n, std::uint64_t saved_by_first) {
  if (n == 0) return l.time.cycles;
  if (n == 1) return l.time.cycles - std::min(l.time.cycles, saved_by_first);
  return l.time.cycles_with_best[n - 2];
}

bool is_timed_well(const launch_report& l, const finding& f) {
  return l.time && is_timed(f.what) && f.saved_cycles != 0 && f.saved_cycles >= l.time.cycles / 100;
}

// Adds the time of a launch that is made several times. Returns whether it is known.
bool add_launch(best_changes& to, const launch_report& l, std::uint64_t times) {
  std::size_t n = 0;
  std::uint64_t saved = 0;
  for (const finding_in& f : to.list)
    if (f.launch == &l && n++ == 0) saved = f.what.saved_cycles;
  const std::uint64_t after = cycles_after(l, n, saved);
  to.nanoseconds += l.time.nanoseconds * times;
  to.nanoseconds_after += nanoseconds_of(l.time, after) * times;
  return l.time && after != 0;
}

}  // namespace

best_changes best_of(const std::vector<added_launches>& launches) {
  best_changes best;
  for (finding_in& f : of_all(launches))
    if (best.list.size() < most_changes && is_timed_well(*f.launch, f.what)) best.list.push_back(std::move(f));
  for (const added_launches& a : launches)
    if (!add_launch(best, a.all, a.times())) return {};
  return best;
}

best_changes best_of(const launch_report& l) {
  best_changes best;
  for (finding& f : of(l))
    if (best.list.size() < most_changes && is_timed_well(l, f)) best.list.push_back({&l, 1, std::move(f)});
  return add_launch(best, l, 1) ? best : best_changes();
}

}  // namespace bankwise::findings
