#include "profile/limited_time.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "profile/profile_launch.hpp"
#include "timing/clocks/launch_clocks.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace_launch.hpp"

namespace bankwise {

namespace {

// The least time of launches with a number of instructions.
class issue_limit {
 public:
  issue_limit(const emulate::launch& l, double most_microseconds) {
    const timing::timed_gpu* const gpu = timing::find_timed_gpu(l.timed_gpu);
    if (gpu == nullptr || !std::isfinite(most_microseconds)) return;
    constexpr double issued_in_a_clock = 4;
    const timing::gpu_parameters& p = gpu->parameters;
    most_ = std::max(0.0, most_microseconds * 1000 * p.sm_clock - p.launch_cycles) * issued_in_a_clock *
            std::min(p.multiprocessors, static_cast<double>(blocks_of(l.grid)));
  }
  bool is_exceeded_by(std::uint64_t instructions) const { return static_cast<double>(instructions) > most_; }
  bool exists() const { return std::isfinite(most_); }

 private:
  double most_ = std::numeric_limits<double>::infinity();
};

launch_report above_limit(launch_report r, const emulate::launch& l, double most_microseconds) {
  r.partial = {};
  r.time.gpu = timing::find_timed_gpu(l.timed_gpu)->title;
  r.time.caches = l.warm_caches ? "warm" : "cold";
  r.time.nanoseconds = static_cast<std::uint64_t>(most_microseconds * 1000);
  r.time.is_above_limit = true;
  return r;
}

}  // namespace

result<launch_report> predict_limited(emulate::launch& l, const argument_placer& place, const machine& on,
                                      const emulate::launch_hooks& hooks, double most_microseconds) {
  report_contents wanted;
  wanted.watches_races = false;
  wanted.only_time = most_microseconds;
  const issue_limit limit(l, most_microseconds);
  std::atomic<std::uint32_t> stop{0};
  bool is_above = false;
  emulate::launch_hooks limited = hooks;
  if (limit.exists()) {
    limited.stop = &stop;
    limited.progress = [&](const emulate::launch_progress& p) {
      is_above |= limit.is_exceeded_by(p.instructions);
      if (is_above || (hooks.stop != nullptr && hooks.stop->load() != 0)) stop.store(1);
    };
  }
  emulate::device_memory memory;
  if (const auto placed = place(l, memory); !placed) return placed.error();
  // A kernel that reads clocks may wait for a time, which its trace must know.
  const bool counts_first = limit.exists() && timing::recording_time_of(l) == timing::recording_time::before &&
                            !timing::reads_clock(*l.program, *l.kernel);
  l.predicts_time = !counts_first;
  auto r = profile_launch(l, memory, on, limited, wanted);
  l.predicts_time = true;
  if (!r) return r;
  if (is_above || (limit.exists() && !r->partial && limit.is_exceeded_by(r->sum.warp_instructions)))
    return above_limit(std::move(*r), l, most_microseconds);
  if (!counts_first || r->partial) return r;
  emulate::device_memory again;
  if (const auto placed = place(l, again); !placed) return placed.error();
  add_time_afterwards(*r, l, again, on, hooks, wanted);
  return r;
}

}  // namespace bankwise
