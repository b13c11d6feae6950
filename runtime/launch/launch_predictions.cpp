#include "runtime/launch/launch_predictions.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/clock/clock_costs.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t most_together = 30'000'000;  // limit of instructions in all predictions together
constexpr std::uint64_t a_second = 1'000'000;        // assumed number of predicted instructions in a second
constexpr std::uint64_t part_of_launches = 100;      // predictions may use a hundredth of the executed instructions
constexpr std::size_t most_of_a_shape = 64;
// Instructions that may be recorded although the launch then does the same work as an earlier launch. If the parameters
// of a launch are new, four times this number.
constexpr std::uint64_t most_needless = 8'000'000;
constexpr std::uint64_t needless_part = 100;  // or a hundredth of the executed instructions
constexpr std::uint64_t new_parameters = 4;
constexpr std::size_t most_parameters = 256;  // limit of the parameters that are remembered for a shape

std::string bytes_of(const std::vector<std::byte>& parameters) {
  return {reinterpret_cast<const char*>(parameters.data()), parameters.size()};
}

}  // namespace

launch_predictions::launch_predictions(bool is_limited, std::chrono::nanoseconds of_launches)
    : is_limited_(is_limited), most_(most_together) {
  const auto seconds = std::chrono::duration<double>(of_launches).count();
  if (seconds > 0) most_ = std::min(most_, static_cast<std::uint64_t>(seconds / 4 * static_cast<double>(a_second)));
}

launch_predictions::key launch_predictions::key_of(const emulate::launch& l) {
  return {l.kernel, l.grid, l.block, l.cluster, l.dynamic_shared_bytes};
}

std::uint64_t launch_predictions::limit() const { return std::max(most_, executed_ / part_of_launches); }

bool launch_predictions::is_spent() const { return is_limited_ && spent_ > limit(); }

const launch_predictions::prediction* launch_predictions::like(const shape& s, const launch_work& w) {
  const prediction* nearest = nullptr;
  for (const prediction& p : s.known)
    if (is_like(p.work, w) && (nearest == nullptr || apart(p.work, w) < apart(nearest->work, w))) nearest = &p;
  return nearest;
}

bool launch_predictions::expects_new_work(const emulate::launch& l) const {
  const auto it = shapes_.find(key_of(l));
  return it == shapes_.end() || it->second.is_new;
}

bool launch_predictions::wants_record(const emulate::launch& l) const {
  if (!is_limited_) return true;
  if (is_spent()) return false;
  const auto it = shapes_.find(key_of(l));
  if (it == shapes_.end()) return true;
  const shape& s = it->second;
  if (s.known.size() >= most_of_a_shape) return false;
  if (s.is_new) return true;
  const bool is_known = s.parameters.size() == most_parameters || s.parameters.contains(bytes_of(l.parameters));
  const std::uint64_t most = std::max(most_needless, executed_ / needless_part) * (is_known ? 1 : new_parameters);
  return needless_ + s.recorded <= most;
}

predicted_part launch_predictions::wants(const emulate::launch& l, const launch_work& w) const {
  if (is_spent()) return predicted_part::none;
  const auto it = shapes_.find(key_of(l));
  if (it != shapes_.end() &&
      (like(it->second, w) != nullptr || (is_limited_ && it->second.known.size() >= most_of_a_shape)))
    return predicted_part::none;
  const auto of_kernel = shapes_.lower_bound({l.kernel, {}, {}, {}, 0});
  const bool is_first = of_kernel == shapes_.end() || std::get<0>(of_kernel->first) != l.kernel;
  return !is_limited_ || is_first || spent_ < limit() / 2 ? predicted_part::savings : predicted_part::time;
}

// Returns the time of the kernel's launch with the most similar number of instructions, scaled by the work of a block and
// by how often the blocks fill the multiprocessors.
std::optional<time_in_program> launch_predictions::scaled_time(const emulate::launch& l, const launch_work& w) const {
  const auto blocks_in = [](const extent& grid) { return static_cast<double>(blocks_of(grid)); };
  const auto distance = [&](const launch_work& of) {
    return std::abs(
        std::log((1.0 + static_cast<double>(of.instructions)) / (1.0 + static_cast<double>(w.instructions))));
  };
  const prediction* nearest = nullptr;
  const key* shape_of_nearest = nullptr;
  double least = 0;
  for (auto at = shapes_.lower_bound({l.kernel, {}, {}, {}, 0});
       at != shapes_.end() && std::get<0>(at->first) == l.kernel; ++at)
    for (const prediction& p : at->second.known)
      if (const double d = distance(p.work); p.time.in_program && (nearest == nullptr || d < least))
        nearest = &p, shape_of_nearest = &at->first, least = d;
  if (nearest == nullptr) return std::nullopt;
  time_in_program t = *nearest->time.in_program;
  const double blocks = blocks_in(l.grid), blocks_there = blocks_in(std::get<1>(*shape_of_nearest)),
               threads = blocks_in(l.block) / blocks_in(std::get<2>(*shape_of_nearest)),
               work = (1.0 + static_cast<double>(w.instructions)) /
                      (1.0 + static_cast<double>(nearest->work.instructions)),
               waves = t.waves * blocks / blocks_there * threads;
  const double longer = work * blocks_there / blocks / threads * std::max(1.0, waves) / std::max(1.0, t.waves);
  for (double* const time : {&t.cold, &t.warm})
    *time = costs.empty_launch + std::max(0.0, *time - costs.empty_launch) * longer;
  t.dram_bytes *= work;
  t.touched_bytes *= work;
  t.after_trigger = std::min(t.after_trigger, t.cold);
  t.until_wait = std::min(t.until_wait, t.cold);
  t.waves = waves;
  t.is_lower_bound = true;
  return t;
}

launch_predictions::prediction launch_predictions::prediction_of(const launch_work& w, const launch_report& r) {
  prediction p{w, r.time, r.time_missing, {}, {}};
  for (const site& s : r.sites)
    if (!s.stalls.by_reason.empty() || s.saved_cycles != 0 || s.cause != 0)
      p.sites.push_back({s.function, s.pc, s.stalls, s.saved_cycles, s.cause});
  for (const global_site& s : r.global_sites)
    if (!s.stalls.by_reason.empty() || s.saved_cycles != 0 || s.cause != 0)
      p.global_sites.push_back({s.function, s.pc, s.stalls, s.saved_cycles, s.cause});
  return p;
}

void launch_predictions::give(const prediction& p, launch_report& r) {
  r.time = p.time;
  // Equal work does not tell which warps exchange values. Only a recorded launch shows that.
  std::erase_if(r.time.delays, [](const delay& d) { return d.is == delay_kind::needless_barriers; });
  r.time_missing = p.missing;
  const auto at = [](const std::vector<site_time>& list, const auto& s) {
    return std::find_if(list.begin(), list.end(),
                        [&](const site_time& one) { return one.pc == s.pc && one.function == s.function; });
  };
  const auto give_to = [&](auto& sites, const std::vector<site_time>& list) {
    for (auto& s : sites) {
      const auto it = at(list, s);
      s.cause = it != list.end() ? it->cause : 0;
      if (it != list.end()) s.stalls = it->stalls, s.saved_cycles = it->saved_cycles;
    }
  };
  give_to(r.sites, p.sites);
  give_to(r.global_sites, p.global_sites);
}

void launch_predictions::complete(const emulate::launch& l, const launch_work& w, bool is_predicted, bool records,
                                  launch_report& r) {
  spent_ += r.prediction_instructions;
  executed_ += w.instructions;
  shape& s = shapes_[key_of(l)];
  if (records) {
    s.recorded = instructions_of(w.executed);
    if (s.parameters.size() < most_parameters) s.parameters.insert(bytes_of(l.parameters));
  }
  s.is_new = true;
  if (is_predicted || r.time_missing != unpredicted::none) {
    s.known.push_back(prediction_of(w, r));
    return;
  }
  if (const prediction* const p = like(s, w)) {
    s.is_new = false;
    if (records) needless_ += s.recorded;
    return give(*p, r);
  }
  r.time.in_program = scaled_time(l, w);
  r.time_missing = is_spent() || s.known.empty() ? unpredicted::total_limit : unpredicted::other_work;
}

}  // namespace bankwise::cuda
