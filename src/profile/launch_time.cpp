#include "profile/launch_time.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "model/sectors/sector_lines.hpp"
#include "model/source_lines.hpp"
#include "model/time/used_resources.hpp"
#include "profile/best_changes.hpp"
#include "profile/code/place.hpp"
#include "profile/delays/delays.hpp"
#include "profile/delays/load_groups.hpp"
#include "profile/padded_conflicts.hpp"
#include "profile/sector_remedies.hpp"
#include "profile/trusted_time.hpp"
#include "timing/gpu.hpp"
#include "timing/launch/known_parameters.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace/trace_file.hpp"
#include "timing/trace_launch.hpp"

namespace bankwise {

namespace {

// Largest number of lines that get a prediction each. The rest gets one prediction.
constexpr std::size_t most_lines_removed = 6, most_sector_lines_removed = 7;
constexpr std::size_t most_waiting_lines = 32;
constexpr std::size_t most_letters = std::size_t{4} << 20;  // largest length of a trace in a report

stall_cycles named(const timing::stall_clocks& clocks) {
  stall_cycles s;
  for (std::size_t i = 0; i < timing::stall_reasons; ++i)
    if (const auto n = static_cast<std::uint64_t>(clocks.by_reason[i] + 0.5); n != 0)
      s.by_reason.emplace_back(timing::name_of(static_cast<timing::stall_reason>(i)), n);
  sort_reasons(s);
  return s;
}

template <class Site>
void add_stalls(std::vector<Site>& sites, const timing::launch_trace& t, const timing::launch_time& time) {
  for (Site& s : sites)
    if (const auto code = t.code_at(s.function, s.pc); code && *code < time.stalls.size())
      s.stalls = named(time.stalls[*code]);
}

// Adds the stalls of all instructions to their source lines.
void add_waiting_lines(predicted_time& to, const timing::launch_trace& t, const timing::launch_time& time,
                       const cubin::program& p) {
  std::map<std::pair<std::string, std::uint32_t>, timing::stall_clocks> lines;
  timing::stall_clocks all;
  for (std::size_t i = 0; i < time.stalls.size(); ++i) {
    const timing::stall_clocks& one = time.stalls[i];
    if (std::all_of(one.by_reason.begin(), one.by_reason.end(), [](double n) { return n == 0; })) continue;
    const auto place = source_at(p, t.code[i].pc);
    timing::stall_clocks* of_line = place && place->line != 0 ? &lines[{place->file, place->line}] : nullptr;
    for (std::size_t r = 0; r < timing::stall_reasons; ++r) {
      all.by_reason[r] += one.by_reason[r];
      if (of_line != nullptr) of_line->by_reason[r] += one.by_reason[r];
    }
  }
  to.waits = named(all);
  for (const auto& [place, clocks] : lines) {
    waiting_line l{place.first, place.second, named(clocks)};
    if (l.waits.sum() * 100 >= to.waits.sum()) to.lines.push_back(std::move(l));
  }
  std::stable_sort(to.lines.begin(), to.lines.end(),
                   [](const waiting_line& a, const waiting_line& b) { return a.waits.sum() > b.waits.sum(); });
  if (to.lines.size() > most_waiting_lines) to.lines.resize(most_waiting_lines);
}

void add_occupancy(predicted_time& to, const timing::launch_trace& t) {
  const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", t.sm));
  if (on == nullptr || t.threads() == 0) return;
  const cubin::occupancy now = cubin::blocks_per_multiprocessor(*on, {t.threads(), t.registers, t.shared_bytes});
  to.occupancy = static_cast<unsigned>(now.blocks * ((t.threads() + 31) / 32) * 100 / on->warps);
  to.limited_by = cubin::name_of(now.by);
}

// Adds how the warps of a block wait for each other at the barriers of each line.
void add_barriers(predicted_time& to, const timing::launch_trace& t, const timing::launch_time& time,
                  const cubin::program& p) {
  std::map<std::pair<std::string, std::uint32_t>, timing::barrier_meetings> lines;
  for (const timing::barrier_meetings& m : time.barriers) {
    const auto place = source_at(p, t.code[m.code].pc);
    if (!place || place->line == 0) continue;
    timing::barrier_meetings& of_line = lines[{place->file, place->line}];
    of_line.times += m.times;
    of_line.waited += m.waited;
    of_line.longest += m.longest;
    for (const auto& [warp, times] : m.last) of_line.last[warp] += times;
  }
  for (const auto& [place, m] : lines) {
    const auto last = std::max_element(m.last.begin(), m.last.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto mean = [&m = m](double sum) {
      return static_cast<std::uint64_t>(sum / static_cast<double>(m.times) + 0.5);
    };
    to.barriers.push_back({place.first, place.second, m.times, mean(m.waited), mean(m.longest), last->first,
                           static_cast<unsigned>((last->second * 100 + m.times / 2) / m.times)});
  }
  sort_barriers(to.barriers);
}

// The sites of lines with one cause, as one list. One change removes their costs together.
template <class Site, class Line>
std::vector<std::vector<std::size_t>> by_cause(const std::vector<Site>& sites, const std::vector<Line>& lines) {
  std::vector<std::vector<std::size_t>> list;
  std::map<std::uint32_t, std::size_t> places;
  for (const Line& line : lines) {
    const std::uint32_t cause = sites[line.sites.front()].cause;
    const auto [at, is_new] = places.try_emplace(cause, list.size());
    if (cause == 0 || is_new)
      list.push_back(line.sites);
    else
      list[at->second].insert(list[at->second].end(), line.sites.begin(), line.sites.end());
  }
  return list;
}

// Adds the cycles that the launch saves without each of these lists of sites. The first are predicted one by one, and the
// rest of them together. The sites of a list share the cycles in proportion to `weight`. `predict` returns the cycles
// that the launch saves without some sites.
template <class Site, class Weight, class Predict>
void add_saved_cycles(std::vector<Site>& sites, const std::vector<std::vector<std::size_t>>& lines, std::size_t most,
                      Weight weight, Predict predict) {
  const auto share_out = [&](const std::vector<std::size_t>& list) {
    const std::uint64_t saved = list.empty() ? 0 : predict(list);
    std::uint64_t sum = 0;
    for (const std::size_t i : list) sum += weight(i);
    std::uint64_t seen = 0, given = 0;
    for (const std::size_t i : list) {
      seen += weight(i);
      const std::uint64_t until = scaled(saved, seen, std::max<std::uint64_t>(sum, 1));
      sites[i].saved_cycles = until - given;
      given = until;
    }
  };
  std::vector<std::size_t> rest;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (n < most)
      share_out(lines[n]);
    else
      rest.insert(rest.end(), lines[n].begin(), lines[n].end());
  }
  share_out(rest);
}

// Adds the cycles that the launch saves without bank conflicts: in total, and for each line. A layout takes work only
// from shared memory, so what keeps another resource busy remains.
void add_conflict_savings(launch_report& r, const timing::launch_trace& t, const std::vector<costly_line>& lines,
                          const std::vector<std::uint64_t>& removable, replays& again) {
  const auto most =
      static_cast<std::uint64_t>(idle_part(r.time, "issue pipes l2 dram") * static_cast<double>(r.time.cycles));
  std::vector<std::size_t> all(r.sites.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto above = [&](std::size_t i) { return removable[i] + queued(r.sites[i]); };
  if (r.sum.removable != 0) {
    const auto changes = wavefront_changes_of(r, all, t, [&](std::size_t i) { return removable[i]; });
    // 0 means that the value is not set.
    r.time.cycles_without_conflicts = std::max({std::uint64_t{1}, again.cycles_with(changes), r.time.cycles - most});
  }
  add_saved_cycles(r.sites, by_cause(r.sites, lines), most_lines_removed, above,
                   [&](const std::vector<std::size_t>& sites) {
                     return std::min(most, again.saved_with(wavefront_changes_of(r, sites, t, above)));
                   });
}

// Adds the cycles that the launch saves with the remedies for its accesses to global and local memory, for each line.
void add_sector_savings(launch_report& r, const timing::launch_trace& t, const std::vector<costly_sectors>& lines,
                        const std::vector<sector_remedy>& remedies, replays& again) {
  add_saved_cycles(
      r.global_sites, by_cause(r.global_sites, lines), most_sector_lines_removed,
      [&](std::size_t i) { return remedies[i].fewer; },
      [&](const std::vector<std::size_t>& sites) {
        return again.saved_with(sector_changes_of(r, sites, t, remedies));
      });
}

// Adds the cycles that the launch saves without each of its findings. Returns the number of predictions.
std::uint64_t add_savings(launch_report& r, const timing::launch_trace& t, const timing::gpu_parameters& gpu,
                          const timing::launch_time& time, const emulate::launch& l, const machine& on) {
  replays again{timing::changed_launch(t, gpu, time.cycles_of_changes), r.time.cycles, time.again};
  const std::vector<std::uint64_t> removable = removable_by_padding(r, on);
  add_conflict_savings(r, t, costly_lines(r), removable, again);
  const std::vector<costly_sectors> lines = costly_sector_lines(r);
  std::vector<sector_remedy> remedies = sector_remedies_of(r, lines);
  std::optional<traced_launch> traced;
  if (!t.blocks.empty()) {
    traced.emplace(t, r.time, gpu, *l.program, *l.kernel, again);
    traced->wide_loads = wide_loads_of(r, t, on);
    for (std::size_t i = 0; i < remedies.size(); ++i)
      if (const auto code = t.code_at(r.global_sites[i].function, r.global_sites[i].pc);
          remedies[i].fewer != 0 && code && traced->is_executed(*code) && is_search(*traced, *code))
        remedies[i] = {};
  }
  add_sector_savings(r, t, lines, remedies, again);
  if (traced) r.time.delays = delays_of(*traced);
  add_joint_savings(r, t, removable, lines, remedies, again);
  return again.count;
}

unsigned in_percent(double part) { return static_cast<unsigned>(std::clamp(part, 0.0, 1.0) * 100 + 0.5); }

resource_percents percents_of(const timing::resource_use& u) {
  const std::array<double, used_resources.size()> parts{
      std::max(u.issue, u.pipes), std::max({u.l1, u.l2, u.dram}), u.issue, u.pipes, u.l1, u.l2, u.dram};
  resource_percents list;
  for (std::size_t i = 0; i < parts.size(); ++i) list.emplace_back(used_resources[i], in_percent(parts[i]));
  return list;
}

resource_percents percents_of(const timing::product_parts& p) {
  constexpr std::string_view names[] = {
#define PRODUCT_PART(name, ...) #name,
#include "model/time/product_parts.def"
  };
  const std::array<double, std::size(names)> parts{p.busy, p.waiting, p.epilogue};
  resource_percents list;
  for (std::size_t i = 0; i < parts.size() - (p.knows_epilogue ? 0 : 1); ++i)
    list.emplace_back(names[i], in_percent(parts[i]));
  return list;
}

// Predicts the launch at the boost clock. If the launch reads more than L2 can keep, warm caches change nothing.
time_in_program time_in_program_of(const timing::launch_trace& t, const timing::timed_gpu& on,
                                   const timing::launch_time& at_base) {
  time_in_program p;
  timing::gpu_parameters gpu = timing::at_clock(on.parameters, on.boost);
  const auto predicted = [&](bool warm) {
    gpu.warm_caches = warm;
    return timing::predict_cycles(t, gpu) / gpu.sm_clock;
  };
  constexpr double little_use = 0.02;
  const bool sleeps = std::any_of(t.accesses.begin(), t.accesses.end(), [](const timing::traced_access& a) {
    return a.space == timing::memory_space::sleep;
  });
  if (at_base.use.dram < little_use && at_base.use.l2 < little_use && !sleeps) {
    // Only the launch itself does not depend on the clock of the multiprocessors.
    p.cold = (at_base.cycles - on.parameters.launch_cycles + gpu.launch_cycles) / gpu.sm_clock;
  } else {
    p.cold = predicted(false);
  }
  p.dram_bytes = at_base.use.dram * at_base.cycles * on.parameters.dram_peak;
  p.touched_bytes = std::max(p.dram_bytes, at_base.touched_bytes);
  p.warm = at_base.use.dram < little_use || p.dram_bytes > on.parameters.l2_own_bytes ? p.cold : predicted(true);
  p.after_trigger = at_base.after_trigger / gpu.sm_clock;
  p.until_wait = at_base.until_wait / gpu.sm_clock;
  const double places = static_cast<double>(t.blocks_per_multiprocessor) * t.multiprocessors;
  p.waves = static_cast<double>(blocks_of(t.grid)) / std::max(1.0, places);
  // While the launch begins and ends, it uses nothing.
  const double busy = std::max(1.0, at_base.cycles - on.parameters.launch_cycles);
  p.use = std::max(
      {at_base.use.held, at_base.use.issue, at_base.use.pipes, at_base.use.l1, at_base.use.l2, at_base.use.dram});
  p.use = std::min(1.0, p.use * at_base.cycles / busy);
  return p;
}

// Returns the parameters that differ from those of the H100. `fix` reads them from the report.
std::vector<std::pair<std::string, double>> changed_parameters(const timing::gpu_parameters& gpu) {
  const timing::gpu_parameters h100;
  std::vector<std::pair<std::string, double>> list;
  for (const timing::parameter_row& r : timing::parameter_rows())
    if (gpu.*r.value != h100.*r.value) list.emplace_back(r.name, gpu.*r.value);
  return list;
}

}  // namespace

void add_time(launch_report& r, timing::launch_trace& t, const emulate::launch& l, const machine& on,
              const added_time& what) {
  const std::optional<double>& only_time = what.only_time;
  const timing::timed_gpu* const gpu = timing::find_timed_gpu(l.timed_gpu);
  if (gpu == nullptr) return;
  if (!only_time) timing::keep_trace(t);  // launches of a batch run at the same time
  timing::gpu_parameters parameters = gpu->parameters;
  parameters.warm_caches = l.warm_caches;
  if (!r.partial) t.instructions = r.sum.warp_instructions;
  std::optional<double> most_cycles;
  if (only_time) most_cycles = *only_time * 1000 * parameters.sm_clock;
  const timing::launch_time time = timing::predict_time(t, parameters, gpu->is_assumed, most_cycles);
  if (time.cycles <= 0) {
    r.time_missing = unpredicted::not_traced;
    return;
  }
  r.time.gpu = gpu->title;
  r.time.is_assumed = gpu->is_assumed;
  if (gpu->is_probed) r.time.parameters = changed_parameters(gpu->parameters);
  r.time.caches = l.warm_caches ? "warm" : "cold";
  r.time.cycles = static_cast<std::uint64_t>(time.cycles);
  r.time.cycles_low = std::min(r.time.cycles, static_cast<std::uint64_t>(time.cycles_low));
  r.time.cycles_high = std::max(r.time.cycles, static_cast<std::uint64_t>(time.cycles_high));
  r.time.nanoseconds = static_cast<std::uint64_t>(time.microseconds * 1000);
  r.time.traced_blocks = t.blocks.size();
  add_occupancy(r.time, t);
  r.time.is_above_limit = time.is_stopped;
  if (time.is_stopped) return;
  r.time.bound = timing::name_of(time.bound);
  if (gpu->is_assumed && gpu->known != nullptr) {
    const timing::known_parameters k = timing::known_parameters_of(*gpu->known, time.bound);
    r.time.published_parameters = k.published;
    r.time.assumed_parameters = k.assumed;
  }
  for (const timing::resource_share& s : time.shares)
    if (const auto percent = in_percent(s.share); percent != 0)
      r.time.shares.emplace_back(timing::name_of(s.what), percent);
  r.time.use = percents_of(time.use);
  const auto whole = [](double n) { return static_cast<std::uint64_t>(n + 0.5); };
  r.time.needed = {static_cast<std::uint64_t>(time.needed.cycles), whole(time.needed.read_bytes),
                   whole(time.needed.written_bytes), time.needed.is_estimated, time.needed.is_arithmetic};
  if (time.products) r.time.products = percents_of(*time.products);
  r.time.resident_blocks = t.blocks_per_multiprocessor;
  r.time.multiprocessors = static_cast<std::uint64_t>(parameters.multiprocessors);
  r.time.traced_in_part = std::any_of(t.blocks.begin(), t.blocks.end(), [](const auto& b) { return b.is_cut; });
  if (only_time) {
    r.time.doubts = doubts_about(r, t, time);
    return;
  }
  if (what.in_program) {
    r.time.in_program = time_in_program_of(t, *gpu, time);
    r.prediction_instructions += 2 * time.replayed / std::max<std::uint64_t>(1, time.shares.size() + 1);
  }
  add_stalls(r.sites, t, time);
  add_stalls(r.global_sites, t, time);
  add_waiting_lines(r.time, t, time, *l.program);
  add_barriers(r.time, t, time, *l.program);
  const std::uint64_t replays = what.savings ? add_savings(r, t, parameters, time, l, on) : 0;
  r.prediction_instructions += time.replayed + replays * std::min(time.replayed, timing::most_for_changes);
  for (const timing::traced_block& b : t.blocks) r.prediction_instructions += b.instructions;
  if (what.trace && r.sum.removable != 0) r.time_trace = timing::to_letters(t, most_letters);
}

}  // namespace bankwise
