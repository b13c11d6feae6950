#include "profile/launch_time.hpp"

#include <algorithm>

#include "timing/gpu.hpp"
#include "timing/launch_time.hpp"

namespace bankwise {

void add_time(launch_report& r, timing::launch_trace& t, std::string_view gpu, bool warm_caches) {
  const timing::gpu_description* const on = timing::find_gpu(gpu);
  if (on == nullptr) return;
  timing::gpu_parameters parameters = timing::parameters_of(*on);
  parameters.warm_caches = warm_caches;
  if (!r.partial) t.instructions = r.sum.warp_instructions;
  const timing::launch_time time =
      timing::predict_time(t, parameters, on->evidence == timing::parameter_evidence::assumed);
  if (time.cycles <= 0) return;
  r.time.gpu = on->title;
  r.time.is_assumed = on->evidence == timing::parameter_evidence::assumed;
  r.time.caches = warm_caches ? "warm" : "cold";
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
