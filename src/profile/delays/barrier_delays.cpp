// Delays at barriers: warps of a block that wait for a warp with more work.
#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "profile/delays/work_of_warps.hpp"

namespace bankwise {

namespace {

// Whether warps spend a part of their waits at barriers that is worth a replay.
bool wait_at_barriers(const predicted_time& t) {
  constexpr std::uint64_t least_part = 20;  // one in 20 of the waits
  for (const auto& [reason, cycles] : t.waits.by_reason)
    if (reason == "barrier") return cycles * least_part >= t.waits.sum();
  return false;
}

void find_uneven_warps(traced_launch& l) {
  if (!wait_at_barriers(l.time) || l.trace.threads() <= warp_lanes) return;
  const even_work even = even_work_of(l);
  // The work before the barriers must differ clearly, because the replay divides it only where the code branches.
  if (even.waits.empty() || even.moved.empty() || even.longest * 4 < even.mean * 5) return;
  const auto most = [](const auto& map, auto amount) {
    return std::max_element(map.begin(), map.end(),
                            [&](const auto& a, const auto& b) { return amount(a.second) < amount(b.second); });
  };
  const auto count = [](std::uint64_t n) { return n; };
  const auto worst = most(even.waits, [](const barrier_waits& w) { return w.longest - w.mean; });
  // In the steps of a sum by halves, the warps differ by a few instructions, which nobody can divide.
  constexpr std::uint64_t least = 64;
  if (worst->second.longest - worst->second.mean < least * worst->second.times) return;
  const std::uint64_t saved = l.again.saved_with(even.trace);
  if (!l.is_enough(saved)) return;
  delay d = l.delay_at(delay_kind::uneven_warps, most(even.moved, count)->first);
  d.now = worst->second.longest / worst->second.times;
  d.then = worst->second.mean / worst->second.times;
  const auto last = most(worst->second.last, count);
  d.about = last->second * 2 > worst->second.times ? formatted("warp {}", last->first) : "one warp";
  d.barrier_line = l.place_of(worst->first).line;
  l.add(std::move(d), saved);
}

}  // namespace

void find_barrier_delays(traced_launch& l) { find_uneven_warps(l); }

}  // namespace bankwise
