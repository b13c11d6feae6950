// Delays from data that L2 does not keep until they are read again.
#include <algorithm>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

void find_reads_again(traced_launch& l) {
  constexpr double least_part = 0.1;  // of the bytes from DRAM
  constexpr unsigned least_use = 20;  // percent; L2 and DRAM may bound the launch together, so shares do not tell
  const timing::read_again& again = l.again.again;
  if (again.part < least_part || l.gpu.warm_caches != 0 || percent_of(l.time.use, "dram") < least_use) return;
  const double kept = timing::predict_kept_cycles(l.trace, l.gpu);
  ++l.again.count;
  delay d = l.delay_at(delay_kind::reads_again, again.code);
  d.now = static_cast<std::uint64_t>(std::min(1.0, again.part) * 100 + 0.5);
  l.add(std::move(d), l.time.cycles - std::min(l.time.cycles, static_cast<std::uint64_t>(kept)));
}

}  // namespace

void find_cache_delays(traced_launch& l) { find_reads_again(l); }

}  // namespace bankwise
