#include "runtime/launch/launch_predictions.hpp"

#include <algorithm>

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t most_together = 30'000'000;  // limit of instructions in all predictions together
constexpr std::uint64_t a_second = 1'000'000;        // assumed number of predicted instructions in a second
constexpr std::uint64_t part_of_launches = 100;      // predictions may use a hundredth of the executed instructions
constexpr std::size_t most_of_a_shape = 8;

std::uint64_t apart(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }
// Whether two numbers are similar: their difference is at most a tenth of the larger number.
bool is_like(std::uint64_t a, std::uint64_t b) { return apart(a, b) <= std::max(a, b) / 10; }

}  // namespace

launch_predictions::launch_predictions(bool is_limited, std::chrono::nanoseconds of_launches)
    : is_limited_(is_limited), most_(most_together) {
  const auto seconds = std::chrono::duration<double>(of_launches).count();
  if (seconds > 0) most_ = std::min(most_, static_cast<std::uint64_t>(seconds / 4 * static_cast<double>(a_second)));
}

launch_predictions::key launch_predictions::key_of(const emulate::launch& l) {
  return {l.kernel, l.grid, l.block, l.dynamic_shared_bytes};
}

bool launch_predictions::is_spent() const {
  return is_limited_ && spent_ > std::max(most_, executed_ / part_of_launches);
}

bool launch_predictions::wants(const emulate::launch& l) const {
  const auto it = shapes_.find(key_of(l));
  const bool is_new = it == shapes_.end() || it->second.known.empty();
  return (is_new || (it->second.differs && it->second.known.size() < most_of_a_shape)) && !is_spent();
}

launch_predictions::prediction launch_predictions::prediction_of(const launch_report& r) {
  prediction p{r.sum.warp_instructions, r.time, r.time_missing, {}, {}};
  for (const site& s : r.sites)
    if (!s.stalls.by_reason.empty() || s.saved_cycles != 0)
      p.sites.push_back({s.function, s.pc, s.stalls, s.saved_cycles});
  for (const global_site& s : r.global_sites)
    if (!s.stalls.by_reason.empty()) p.global_sites.push_back({s.function, s.pc, s.stalls, 0});
  return p;
}

void launch_predictions::give(const prediction& p, launch_report& r) {
  r.time = p.time;
  r.time_missing = p.missing;
  const auto at = [](const std::vector<site_time>& list, const auto& s) {
    return std::find_if(list.begin(), list.end(),
                        [&](const site_time& one) { return one.pc == s.pc && one.function == s.function; });
  };
  for (site& s : r.sites)
    if (const auto it = at(p.sites, s); it != p.sites.end()) s.stalls = it->stalls, s.saved_cycles = it->saved_cycles;
  for (global_site& s : r.global_sites)
    if (const auto it = at(p.global_sites, s); it != p.global_sites.end()) s.stalls = it->stalls;
}

void launch_predictions::complete(const emulate::launch& l, bool was_wanted, launch_report& r) {
  spent_ += r.prediction_instructions;
  executed_ += r.sum.warp_instructions;
  shape& s = shapes_[key_of(l)];
  if (was_wanted) {
    s.differs = false;
    s.known.push_back(prediction_of(r));
    return;
  }
  if (s.known.empty()) {
    r.time_missing = unpredicted::total_limit;
    return;
  }
  const auto nearest = std::min_element(s.known.begin(), s.known.end(), [&](const prediction& a, const prediction& b) {
    return apart(a.instructions, r.sum.warp_instructions) < apart(b.instructions, r.sum.warp_instructions);
  });
  s.differs = !is_like(nearest->instructions, r.sum.warp_instructions);
  give(*nearest, r);
}

}  // namespace bankwise::cuda
