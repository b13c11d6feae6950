#include "timing/launch_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "timing/instruction_cost.hpp"
#include "timing/line_sharing.hpp"
#include "timing/multiprocessor.hpp"

namespace bankwise::timing {

namespace {

constexpr std::uint32_t most_copies = 32;
constexpr std::uint64_t most_copied = 150'000;  // instructions
constexpr std::uint64_t most_simulated = 1'200'000;
constexpr std::uint64_t most_for_shares = 100'000;  // of each resource

// The part of L1 and shared memory that the driver leaves to L1.
double l1_bytes_of(const launch_trace& t, const gpu_parameters& gpu) {
  constexpr std::array<double, 10> carve_outs{0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  const double wanted = t.shared_bytes == 0 ? 0 : (t.shared_bytes + 1024.0) * t.blocks_per_multiprocessor / 1024;
  const auto it = std::lower_bound(carve_outs.begin(), carve_outs.end(), wanted);
  return gpu.l1_bytes - 1024 * (it == carve_outs.end() ? carve_outs.back() : *it);
}

struct prepared_launch {
  prepared_launch(const launch_trace& t, const gpu_parameters& gpu) : trace(t), sharing(t) {
    costs.reserve(t.code.size());
    for (const traced_code& c : t.code) costs.push_back(cost_of({c.low, c.high, sass::isa_of(t.sm)}));
    setup.trace = &trace;
    setup.costs = &costs;
    setup.sharing = &sharing;
    setup.gpu = gpu;
    setup.slots = std::max(1u, t.blocks_per_multiprocessor);
    const auto blocks = static_cast<double>(t.grid_blocks());
    setup.active = std::min(gpu.multiprocessors, blocks);
    setup.l1_bytes = l1_bytes_of(t, gpu);
    if (blocks <= gpu.multiprocessors && !t.blocks.empty()) {
      const auto longest = std::max_element(t.blocks.begin(), t.blocks.end(), [](const auto& a, const auto& b) {
        return a.instructions < b.instructions;
      });
      setup.blocks.push_back({static_cast<std::uint32_t>(longest - t.blocks.begin()), 0});
      return;
    }
    // Among blocks in the order of the grid, those of one multiprocessor look like any others.
    const auto own = static_cast<std::size_t>(std::ceil(blocks / gpu.multiprocessors));
    std::uint64_t instructions = 0;
    bool is_cut = false;
    for (std::size_t i = 0; i < t.blocks.size() && i < own; ++i) {
      if (i >= setup.slots && instructions > most_simulated) break;
      setup.blocks.push_back({static_cast<std::uint32_t>(i), 0});
      instructions += t.blocks[i].instructions;
      is_cut |= t.blocks[i].is_cut;
    }
    // Some more turns, until the multiprocessor goes on steadily.
    const std::size_t traced = setup.blocks.size();
    for (std::uint32_t copy = 1; !is_cut && traced != 0 && copy < most_copies; ++copy)
      for (std::size_t i = 0; i < traced && setup.blocks.size() < own && instructions < most_copied; ++i) {
        setup.blocks.push_back({static_cast<std::uint32_t>(i), copy});
        instructions += t.blocks[i].instructions;
      }
  }
  const launch_trace& trace;
  line_sharing sharing;
  std::vector<instruction_cost> costs;
  multiprocessor_setup setup;
};

// Instructions that a multiprocessor has, with the blocks that were not traced.
double instructions_of_one(const prepared_launch& p, const multiprocessor_run& r) {
  const launch_trace& t = p.trace;
  const auto blocks = static_cast<double>(t.grid_blocks());
  const double own = blocks / p.setup.active;
  // Few blocks: the multiprocessor that has one more than others decides.
  const double most = own < 4.0 * p.setup.slots ? std::ceil(own) : own;
  if (t.instructions != 0 && (r.is_cut || own > static_cast<double>(r.blocks.size())))
    return static_cast<double>(t.instructions) / blocks * most;
  const double traced = std::max<double>(1, static_cast<double>(r.blocks.size()));
  return static_cast<double>(r.instructions) / traced * std::max(most, traced);
}

// Instructions a clock while the multiprocessor was full.
double steady_rate(const prepared_launch& p, const multiprocessor_run& r) {
  const auto& blocks = r.blocks;
  const std::size_t slots = p.setup.slots;
  if (blocks.size() > slots + slots / 2) {
    const auto& from = blocks[std::min(slots + (blocks.size() - slots) / 3, blocks.size() - 2)];
    const auto& to = blocks.back();
    if (to.begin > from.begin && to.instructions_before > from.instructions_before)
      return static_cast<double>(to.instructions_before - from.instructions_before) / (to.begin - from.begin);
  }
  double end = r.cycles;
  for (const auto& b : blocks) end = std::min(end, b.end);
  double begin_at = 0;
  std::uint64_t begin_count = 0;
  for (const auto& [at, count] : r.progress) {
    if (at < end * 0.3) begin_at = at, begin_count = count;
    if (at >= end && at > begin_at) return static_cast<double>(count - begin_count) / (at - begin_at);
  }
  return static_cast<double>(r.instructions) / std::max(1.0, r.cycles);
}

double elapsed_of(const prepared_launch& p, const multiprocessor_run& r) {
  double cycles = r.cycles;
  const double all = instructions_of_one(p, r);
  // Less, where the blocks that were traced did more than others.
  const double left = all - static_cast<double>(r.instructions);
  cycles = std::max(cycles / 4, cycles + left / steady_rate(p, r));
  return cycles + (p.setup.free.launch ? 0 : p.setup.gpu.launch_cycles);
}

// With as many instructions as show it.
double cycles_without(prepared_launch& p, resource r) {
  p.setup.free = {};
  switch (r) {
    case resource::issue: p.setup.free.issue = true; break;
    case resource::data_stage: p.setup.free.data_stage = true; break;
    case resource::pipes: p.setup.free.pipes = true; break;
    case resource::l2: p.setup.free.l2 = true; break;
    case resource::dram: p.setup.free.dram = true; break;
    case resource::latency: p.setup.free.latency = true; break;
    case resource::launch: p.setup.free.launch = p.setup.free.fetch = true; break;
    case resource::barriers: p.setup.free.barriers = true; break;
    case resource::count: break;
  }
  const multiprocessor_run run = run_multiprocessor(p.setup);
  return run.is_stopped ? run.cycles : elapsed_of(p, run);
}

// What is hardly used costs nothing.
bool may_matter(resource what, const multiprocessor_run& r) {
  constexpr double least = 0.1;
  const auto is_used = [&r](double clocks) { return clocks > least * r.cycles; };
  switch (what) {
    case resource::issue: return is_used(r.issue);
    case resource::data_stage: return is_used(r.data_stage);
    case resource::pipes: return std::any_of(r.pipes.begin(), r.pipes.end(), is_used);
    case resource::l2: return is_used(r.l2 + r.stores);
    case resource::dram: return is_used(r.dram);
    case resource::barriers: return r.waits_at_barriers;
    default: return true;
  }
}

// For launches with this bound, the measured cycles divided by the predicted ones: eight of ten are in the range.
struct error_band {
  resource bound;
  double low, high;
};
constexpr error_band error_bands[] = {
#define BAND(bound, low, high, launches) {resource::bound, low, high},
#include "timing/error_bands.def"
};
const error_band& band_of(resource bound) {
  for (const error_band& b : error_bands)
    if (b.bound == bound) return b;
  return error_bands[0];
}

}  // namespace

std::string_view name_of(resource r) {
  constexpr std::string_view names[] = {"issue", "data_stage", "pipes", "l2", "dram", "latency", "launch", "barriers"};
  return names[static_cast<std::size_t>(r)];
}

std::string busy_text(const launch_trace& t, const gpu_parameters& gpu) {
  if (t.blocks.empty()) return {};
  const prepared_launch p(t, gpu);
  const multiprocessor_run r = run_multiprocessor(p.setup);
  const auto blocks = std::max<double>(1, static_cast<double>(r.blocks.size()));
  std::string text;
  const auto add = [&text](const char* name, double value) {
    text += std::string(name) + " " + std::to_string(value).substr(0, 7) + " ";
  };
  add("run", r.cycles);
  add("blocks", blocks);
  add("slots", p.setup.slots);
  add("cut", r.is_cut);
  add("ipc", static_cast<double>(r.instructions) / r.cycles);
  add("steady", steady_rate(p, r));
  add("stage%", 100 * r.data_stage / r.cycles);
  add("address%", 100 * r.address / r.cycles);
  add("l2%", 100 * r.l2 / r.cycles);
  add("stores%", 100 * r.stores / r.cycles);
  add("dram%", 100 * r.dram / r.cycles);
  add("l1hit", r.l1_hit_rate);
  add("wavefronts/block", r.data_stage / blocks);
  add("instructions/block", static_cast<double>(r.instructions) / blocks);
  constexpr const char* names[] = {"none",    "alu",    "fma",     "heavy",  "lite",   "fp64",
                                   "special", "tensor", "uniform", "memory", "texture"};
  for (std::size_t i = 0; i < r.pipes.size(); ++i)
    if (r.pipes[i] > 0.01 * r.cycles) add(names[i], 100 * r.pipes[i] / r.cycles);
  // Opcodes, the most frequent first.
  std::map<std::string, std::uint64_t> count;
  for (const auto& b : p.setup.blocks)
    for (const traced_warp& w : t.blocks[b.index].warps)
      for (const traced_run& run : w.runs)
        for (std::uint32_t i = 0; i < run.count; ++i) {
          const std::string_view format = sass::info_of(p.costs[run.code + i].op).format;
          ++count[std::string(format.substr(0, format.find_first_of(" {")))];
        }
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, n] : count) sorted.emplace_back(n, name);
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < sorted.size() && i < 16; ++i)
    add(sorted[i].second.c_str(), 100.0 * static_cast<double>(sorted[i].first) / static_cast<double>(r.instructions));
  return text;
}

double predict_cycles(const launch_trace& t, const gpu_parameters& gpu) {
  if (t.blocks.empty()) return 0;
  const prepared_launch p(t, gpu);
  return elapsed_of(p, run_multiprocessor(p.setup));
}

launch_time predict_time(const launch_trace& t, const gpu_parameters& gpu) {
  launch_time r;
  if (t.blocks.empty()) return r;
  prepared_launch p(t, gpu);
  const multiprocessor_run as_is = run_multiprocessor(p.setup);
  r.cycles = elapsed_of(p, as_is);
  r.microseconds = r.cycles / gpu.sm_clock / 1000;
  double of_shares = r.cycles;
  if (as_is.instructions > most_for_shares) {
    p.setup.most_instructions = most_for_shares;
    of_shares = cycles_without(p, resource::count);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(resource::count); ++i) {
    const auto what = static_cast<resource>(i);
    if (!may_matter(what, as_is)) continue;
    r.shares.push_back({what, std::max(0.0, 1 - cycles_without(p, what) / of_shares)});
  }
  std::stable_sort(r.shares.begin(), r.shares.end(),
                   [](const resource_share& a, const resource_share& b) { return a.share > b.share; });
  r.bound = r.shares.front().what;
  const error_band& band = band_of(r.bound);
  r.cycles_low = r.cycles * band.low;
  r.cycles_high = r.cycles * band.high;
  return r;
}

}  // namespace bankwise::timing
