#include "profile/launch_time.hpp"

#include <algorithm>

#include "timing/launch_time.hpp"

namespace bankwise {

void add_time(launch_report& r, timing::launch_trace& t) {
  if (!r.partial) t.instructions = r.sum.warp_instructions;
  const timing::launch_time time = timing::predict_time(t, {});
  if (time.cycles <= 0) return;
  r.time.gpu = "H100 SXM";
  r.time.cycles = static_cast<std::uint64_t>(time.cycles);
  r.time.cycles_low = std::min(r.time.cycles, static_cast<std::uint64_t>(time.cycles_low));
  r.time.cycles_high = std::max(r.time.cycles, static_cast<std::uint64_t>(time.cycles_high));
  r.time.nanoseconds = static_cast<std::uint64_t>(time.microseconds * 1000);
  r.time.bound = timing::name_of(time.bound);
  for (const timing::resource_share& s : time.shares)
    if (const auto percent = static_cast<unsigned>(std::clamp(s.share, 0.0, 1.0) * 100 + 0.5); percent != 0)
      r.time.shares.emplace_back(timing::name_of(s.what), percent);
}

}  // namespace bankwise
