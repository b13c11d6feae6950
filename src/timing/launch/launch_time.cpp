#include "timing/launch/launch_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "timing/gpu.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

namespace {

constexpr std::uint32_t most_copies = 32;
constexpr std::uint64_t most_copied = 150'000;  // copies of blocks are added up to this number of instructions
constexpr std::uint64_t most_simulated = 1'200'000;
constexpr std::uint64_t most_for_shares = 100'000;  // limit of instructions for the replay without one resource

}  // namespace

double l1_bytes_of(const launch_trace& t, const gpu_parameters& gpu) {
  constexpr std::array<double, 9> parts{8, 16, 32, 64, 100, 132, 164, 196, 228};
  constexpr double largest_unused = 32;
  double blocks = std::max(1u, t.blocks_per_multiprocessor);
  if (t.shared_bytes == 0) blocks = std::clamp(2048.0 / std::max(1u, t.threads()), 1.0, 32.0);
  const double wanted = (t.shared_bytes + 1024.0) * blocks / 1024;
  auto it = std::lower_bound(parts.begin(), parts.end() - 1, wanted);
  if (blocks > 2 && *it <= 100) ++it;
  const double shared = t.shared_bytes == 0 ? std::min(*it, largest_unused) : *it;
  return std::max(gpu.l1_bytes / 8, gpu.l1_bytes - 1024 * shared);
}

struct prepared_launch {
  prepared_launch(const launch_trace& t, const gpu_parameters& gpu) : trace(t), sharing(t, gpu.l2_bytes) {
    costs.reserve(t.code.size());
    std::vector<sass::instruction> code;
    for (const traced_code& c : t.code) {
      code.push_back({c.low, c.high, sass::isa_of(t.sm)});
      costs.push_back(cost_of(code.back()));
    }
    find_retries(code, costs);
    setup.trace = &trace;
    setup.costs = &costs;
    setup.sharing = &sharing;
    setup.gpu = gpu;
    if (throttles()) setup.gpu = throttled(gpu);
    setup.slots = std::max(1u, t.blocks_per_multiprocessor);
    const auto blocks = static_cast<double>(t.grid_blocks());
    setup.active = has_idle_blocks() ? working_blocks() : std::min(gpu.multiprocessors, blocks);
    setup.l1_bytes = l1_bytes_of(t, gpu);
    if (blocks <= gpu.multiprocessors && !t.blocks.empty()) {
      setup.blocks.push_back({static_cast<std::uint32_t>(t.longest_block()), 0});
      return;
    }
    // If blocks were traced in the order of the grid, they can represent the blocks of any multiprocessor.
    const auto own = static_cast<std::size_t>(std::ceil(blocks / gpu.multiprocessors));
    std::uint64_t instructions = 0;
    bool is_cut = false;
    for (std::size_t i = 0; i < t.blocks.size() && i < own; ++i) {
      if (i >= setup.slots && instructions > most_simulated) break;
      setup.blocks.push_back({static_cast<std::uint32_t>(i), 0});
      instructions += t.blocks[i].instructions;
      is_cut |= t.blocks[i].is_cut;
    }
    // Adds copies of the blocks, so that the multiprocessor reaches a steady state.
    const std::size_t traced = setup.blocks.size();
    for (std::uint32_t copy = 1; !is_cut && traced != 0 && copy < most_copies; ++copy)
      for (std::size_t i = 0; i < traced && setup.blocks.size() < own && instructions < most_copied; ++i) {
        setup.blocks.push_back({static_cast<std::uint32_t>(i), copy});
        instructions += t.blocks[i].instructions;
      }
  }
  bool multiplies() const {
    return std::any_of(costs.begin(), costs.end(),
                       [](const instruction_cost& c) { return c.does == behaviour::matrix_group; });
  }
  // The number of blocks that work, if all of them work as much as the longest traced block. In many kernels with wgmma,
  // each multiprocessor gets one block, and some of these blocks find no work.
  double working_blocks() const {
    const auto blocks = static_cast<double>(trace.grid_blocks());
    if (trace.instructions == 0 || trace.blocks.empty()) return blocks;
    const auto longest = static_cast<double>(trace.blocks[trace.longest_block()].instructions);
    return std::clamp(static_cast<double>(trace.instructions) / std::max(1.0, longest), 1.0, blocks);
  }
  static constexpr double few = 0.4;  // of the blocks, which tensor_times shows
  bool has_idle_blocks() const {
    const auto blocks = static_cast<double>(trace.grid_blocks());
    return multiplies() && blocks <= setup.gpu.multiprocessors && working_blocks() <= few * blocks;
  }
  // Whether all parts of the GPU (GPCs) execute wgmma. If not, the launch lasts as long in clocks of the other parts.
  bool throttles() const {
    constexpr double parts = 8;
    const double clusters = static_cast<double>(trace.grid_blocks()) / std::max(1u, trace.cluster_blocks);
    return multiplies() && clusters > parts && !has_idle_blocks();
  }
  // wgmma lowers the clock of the multiprocessors, but not of L2 and DRAM.
  static gpu_parameters throttled(const gpu_parameters& gpu) {
    gpu_parameters p = at_clock(gpu, gpu.sm_clock / gpu.product_clock);
    p.sm_clock = gpu.sm_clock;
    p.launch_cycles = gpu.launch_cycles;
    return p;
  }
  const launch_trace& trace;
  line_sharing sharing;
  std::vector<instruction_cost> costs;
  multiprocessor_setup setup;
  // rate with the last blocks alone, divided by the rate of a full multiprocessor (last_blocks()); 0 if it is not known
  double last_rate = 0;
};

namespace {

// Estimates the number of instructions of a block whose trace is incomplete. All blocks of the grid must run at the
// same time. All other blocks are assumed to execute as many instructions as the blocks with complete traces. The
// remaining instructions of the launch are divided among the blocks with incomplete traces. Returns nothing if all
// traces are complete, or if all traces are incomplete.
std::optional<double> instructions_of_long_block(const launch_trace& t) {
  double others = 0, cut = 0;
  bool is_first = false;
  for (const traced_block& b : t.blocks) {
    cut += b.is_cut;
    is_first |= b.is_cut && b.linear == 0;
    if (!b.is_cut) others += static_cast<double>(b.instructions);
  }
  const auto traced = static_cast<double>(t.blocks.size()), blocks = static_cast<double>(t.grid_blocks());
  if (cut == 0 || cut == traced) return std::nullopt;
  // If only the trace of the first block is incomplete, only this block is long: the kernel gives it additional work.
  const double long_blocks = cut == 1 && is_first ? 1 : cut / traced * blocks;
  return (static_cast<double>(t.instructions) - others / (traced - cut) * (blocks - long_blocks)) / long_blocks;
}

// If all blocks run at once, each multiprocessor keeps the blocks that it gets, and blocks may find different work, as in
// causal attention. Returns the instructions of the multiprocessor with the most, as far as they were recorded, and of an
// average one. Returns nothing if the instructions of some blocks are not known, or if blocks wait for free places, which
// evens the work out.
struct uneven_work {
  double most = 0, average = 0;
};
std::optional<uneven_work> uneven_work_of(const prepared_launch& p) {
  const launch_trace& t = p.trace;
  const std::uint64_t blocks = t.grid_blocks();
  const auto multiprocessors = static_cast<std::uint64_t>(p.setup.gpu.multiprocessors);
  if (t.in_order || t.cluster_blocks > 1 || t.executed.size() != blocks || blocks <= multiprocessors ||
      blocks > multiprocessors * p.setup.slots)
    return std::nullopt;
  std::vector<double> of_one(multiprocessors);
  double all = 0;
  for (std::size_t i = 0; i < t.executed.size(); ++i) {
    const auto executed = static_cast<double>(t.executed[i]);
    of_one[t.touching[i] % multiprocessors] += executed;
    all += executed;
  }
  const std::uint64_t of_most = (blocks + multiprocessors - 1) / multiprocessors;
  return uneven_work{*std::max_element(of_one.begin(), of_one.end()),
                     all / static_cast<double>(blocks) * static_cast<double>(of_most)};
}

// Returns the instructions of one multiprocessor, including blocks that were not traced.
double instructions_of_one(const prepared_launch& p, const multiprocessor_run& r) {
  const launch_trace& t = p.trace;
  const auto blocks = static_cast<double>(t.grid_blocks());
  const double own = blocks / std::min(p.setup.gpu.multiprocessors, blocks);
  if (t.instructions != 0 && r.is_cut && blocks <= p.setup.gpu.multiprocessors)
    if (const auto one = instructions_of_long_block(t)) return std::max(*one, static_cast<double>(r.instructions));
  // If there are few blocks, some multiprocessors get one more block than the rest. These multiprocessors determine the
  // time.
  const double most = own < 4.0 * p.setup.slots ? std::ceil(own) : own;
  const std::optional<uneven_work> uneven = uneven_work_of(p);
  if (t.instructions != 0 && (r.is_cut || own > static_cast<double>(r.blocks.size())))
    return std::max(static_cast<double>(t.instructions) / blocks * most *
                        (uneven ? std::max(1.0, uneven->most / std::max(1.0, uneven->average)) : 1),
                    p.has_idle_blocks() ? static_cast<double>(r.instructions) : 0);
  const double traced = std::max<double>(1, static_cast<double>(r.blocks.size()));
  return std::max(static_cast<double>(r.instructions) / traced * std::max(most, traced), uneven ? uneven->most : 0);
}

// Returns the instructions per clock while the multiprocessor was full.
double steady_rate(std::size_t slots, const multiprocessor_run& r) {
  const auto& blocks = r.blocks;
  if (!r.is_cut && blocks.size() > slots + slots / 2) {
    const auto& from = blocks[std::min(slots + (blocks.size() - slots) / 3, blocks.size() - 2)];
    const auto& to = blocks.back();
    if (to.begin > from.begin && to.instructions_before > from.instructions_before)
      return static_cast<double>(to.instructions_before - from.instructions_before) / (to.begin - from.begin);
  }
  // If blocks are traced in part, their warps end at different places. The last warps then run alone.
  double end = std::min(r.cycles, r.first_cut);
  for (const auto& b : blocks) end = std::min(end, b.end);
  double begin_at = 0;
  std::uint64_t begin_count = 0;
  for (const auto& [at, count] : r.progress) {
    if (at < end * 0.3) begin_at = at, begin_count = count;
    if (at >= end && at > begin_at) return static_cast<double>(count - begin_count) / (at - begin_at);
  }
  return static_cast<double>(r.instructions) / std::max(1.0, r.cycles);
}

// Returns the clocks of the launch for each clock of a multiprocessor that executes wgmma (throttled()).
double clock_ratio(const prepared_launch& p) {
  return p.multiplies() && !p.throttles() ? p.setup.gpu.product_clock : 1;
}

// Returns the number of blocks that a multiprocessor executes after its last full wave of long blocks, or 0. These blocks
// begin when all earlier blocks have ended.
std::uint32_t last_blocks(const prepared_launch& p, const multiprocessor_run& r) {
  const double own = std::ceil(static_cast<double>(p.trace.grid_blocks()) / p.setup.gpu.multiprocessors);
  if (!r.is_cut || own <= p.setup.slots || own >= 4.0 * p.setup.slots) return 0;
  return static_cast<std::uint32_t>(own) % p.setup.slots;
}

// Returns the clocks for instructions that the traced run did not execute.
double clocks_of_rest(prepared_launch& p, const multiprocessor_run& r, double left) {
  const double rate = steady_rate(p.setup.slots, r);
  const std::uint32_t last = last_blocks(p, r);
  if (last == 0 || left <= 0 || p.trace.instructions == 0 || p.setup.blocks.size() < last) return left / rate;
  if (p.last_rate == 0) {
    multiprocessor_setup alone = p.setup;
    alone.slots = last;
    alone.blocks.resize(last);
    alone.counts_stalls = false;
    p.last_rate = std::min(1.0, steady_rate(last, run_multiprocessor(alone)) / rate);
  }
  const double of_last =
      std::min(left, last * static_cast<double>(p.trace.instructions) / static_cast<double>(p.trace.grid_blocks()));
  return (left - of_last) / rate + of_last / (rate * p.last_rate);
}

constexpr double least_of_replay = 0.25;  // the least part of the replayed clocks that the launch takes

double elapsed_of(prepared_launch& p, const multiprocessor_run& r) {
  double cycles = r.cycles;
  const double all = instructions_of_one(p, r);
  // The number of instructions that the traced run did not execute. It is negative if the traced blocks executed more
  // instructions than the average block.
  const double left = all - static_cast<double>(r.instructions);
  cycles = std::max(cycles * least_of_replay, cycles + clocks_of_rest(p, r, left));
  // If blocks execute few instructions, starting the blocks determines the time of the launch.
  const gpu_parameters& gpu = p.setup.gpu;
  const double blocks = std::max(1.0, static_cast<double>(p.trace.grid_blocks()) / gpu.multiprocessors);
  const double warps = std::ceil(p.trace.threads() / 32.0);
  const double each = std::max(gpu.block_gap * p.setup.active, gpu.warp_turn * warps);
  if (blocks > static_cast<double>(r.blocks.size()) && !p.setup.free.launch) cycles = std::max(cycles, blocks * each);
  return std::max(cycles * clock_ratio(p), p.trace.least_cycles) +
         (p.setup.free.launch ? 0 : p.setup.gpu.launch_cycles);
}

// Predicts the cycles without the cost of a resource. Simulates a limited number of instructions.
double cycles_with(prepared_launch& p, const free_resources& free) {
  p.setup.free = free;
  const multiprocessor_run run = run_multiprocessor(p.setup);
  return run.is_stopped ? run.cycles : elapsed_of(p, run);
}
double cycles_without(prepared_launch& p, resource r) { return cycles_with(p, without(r)); }

// Returns the stalls of all warps of the launch, scaled from the simulated multiprocessor.
std::vector<stall_clocks> stalls_of_all(const prepared_launch& p, multiprocessor_run& r) {
  const double all = p.trace.instructions != 0 ? static_cast<double>(p.trace.instructions)
                                               : instructions_of_one(p, r) * p.setup.active;
  const double raise = all / std::max<double>(1, static_cast<double>(r.instructions));
  for (stall_clocks& s : r.stalls)
    for (double& clocks : s.by_reason) clocks *= raise;
  return std::move(r.stalls);
}

// `cycles`: the elapsed cycles of the launch.
std::optional<product_parts> product_parts_of(const prepared_launch& p, const multiprocessor_run& r, double cycles) {
  const double busy = r.pipes[static_cast<std::size_t>(pipe::tensor)];
  if (busy == 0 || cycles <= 0 || !p.trace.copies_ahead()) return std::nullopt;
  // The replayed multiprocessor has some blocks more or less than the average one.
  const double all = p.trace.instructions != 0 ? static_cast<double>(p.trace.instructions)
                                               : instructions_of_one(p, r) * p.setup.active;
  const double each = all / p.setup.gpu.multiprocessors / std::max<double>(1, static_cast<double>(r.instructions)) *
                      clock_ratio(p) / cycles;
  return product_parts{busy * each, r.products.waiting * each, r.products.epilogue * each, !r.is_cut};
}

// Whether a resource can affect the time. A resource with little use cannot.
bool may_matter(resource what, const multiprocessor_run& r) {
  constexpr double least = 0.1;
  return busy_clocks(what, r) > least * r.cycles;
}

resource most_used(const resource_use& u) {
  auto most = resource::issue;
  for (std::size_t i = 0; i < resource_count; ++i)
    if (const auto r = static_cast<resource>(i); use_of(r, u) >= use_of(most, u)) most = r;
  return most;
}
// Whether a resource is busy for so much of the time that its use decides about the bound.
bool is_bound_by_use(const resource_use& u) {
  constexpr double much = 0.5;
  return use_of(most_used(u), u) >= much;
}
resource bound_of(const launch_time& t) { return is_bound_by_use(t.use) ? most_used(t.use) : t.shares.front().what; }

read_again again_of(const memory_traffic& m) {
  read_again r;
  double most = 0;
  for (const auto& [code, bytes] : m.dram_again) {
    r.part += bytes / m.dram_read;
    if (bytes <= most) continue;
    most = bytes;
    r.code = code;
  }
  return r;
}

// Returns the range of measured cycles divided by predicted cycles. It contains nine of ten launches with this bound.
struct error_band {
  resource bound;
  double low, high;
  unsigned launches;
};
constexpr error_band error_bands[] = {
#define BAND(bound, low, high, launches) {resource::bound, low, high, launches},
#include "timing/launch/error_bands.def"
};
const error_band& band_of(resource bound) {
  for (const error_band& b : error_bands)
    if (b.bound == bound) return b;
  return error_bands[0];
}

// Returns the clock at which the replay ends, because the launch then takes longer than `most_cycles`. If the traced
// blocks execute more instructions than the average block, only a part of the replayed clocks counts (elapsed_of).
double last_clock(const prepared_launch& p, double most_cycles) {
  multiprocessor_run whole;
  whole.blocks.resize(p.setup.blocks.size());
  for (const multiprocessor_setup::block& b : p.setup.blocks) {
    whole.instructions += p.trace.blocks[b.index].instructions;
    whole.is_cut |= p.trace.blocks[b.index].is_cut;
  }
  const bool all_count = instructions_of_one(p, whole) >= static_cast<double>(whole.instructions);
  return (most_cycles - p.setup.gpu.launch_cycles) / clock_ratio(p) / (all_count ? 1 : least_of_replay);
}

}  // namespace

simulated_launch simulate(const launch_trace& t, const gpu_parameters& gpu) {
  if (t.blocks.empty()) return {};
  const prepared_launch p(t, gpu);
  multiprocessor_run run = run_multiprocessor(p.setup);
  const double rate = steady_rate(p.setup.slots, run);
  return {std::move(run), p.setup.blocks, rate};
}

double predict_cycles(const launch_trace& t, const gpu_parameters& gpu) {
  if (t.blocks.empty()) return 0;
  prepared_launch p(t, gpu);
  return elapsed_of(p, run_multiprocessor(p.setup));
}

double predict_even_cycles(const launch_trace& t, const gpu_parameters& gpu) {
  constexpr double most_waves = 4;  // more waves are predicted without steps (instructions_of_one)
  const auto blocks = static_cast<double>(t.grid_blocks());
  const double own = blocks / gpu.multiprocessors, full = std::floor(own);
  if (t.blocks.empty() || full == own || full < 1 || own >= most_waves * std::max(1u, t.blocks_per_multiprocessor))
    return 0;
  launch_trace even = t;
  even.grid = {static_cast<std::uint32_t>(full * gpu.multiprocessors), 1, 1};
  even.instructions = static_cast<std::uint64_t>(static_cast<double>(t.instructions) * full / own);
  const double cycles = predict_cycles(even, gpu) - gpu.launch_cycles;
  return gpu.launch_cycles + cycles * own / full;
}

double predict_divided_cycles(const launch_trace& t, const gpu_parameters& gpu, std::uint32_t parts) {
  if (t.blocks.empty()) return 0;
  // The GPU executes several times as many blocks with all the work, and needs a part of the time for each of them.
  launch_trace more = t;
  more.grid = {static_cast<std::uint32_t>(t.grid_blocks()) * parts, 1, 1};
  more.instructions *= parts;
  return gpu.launch_cycles + (predict_cycles(more, gpu) - gpu.launch_cycles) / parts;
}

double predict_kept_cycles(const launch_trace& t, const gpu_parameters& gpu) {
  if (t.blocks.empty()) return 0;
  prepared_launch p(t, gpu);  // blocks that run together share lines as before
  p.setup.gpu.l2_bytes = p.setup.gpu.l2_own_bytes = std::numeric_limits<double>::infinity();
  return elapsed_of(p, run_multiprocessor(p.setup));
}

namespace {

constexpr double wider_for_other_gpus[] = {
#define OTHER_GPUS(factor) factor,
#include "timing/launch/other_gpus.def"
};

}  // namespace

launch_time predict_time(const launch_trace& t, const gpu_parameters& gpu, bool assumed,
                         std::optional<double> most_cycles) {
  launch_time r;
  if (t.blocks.empty()) return r;
  prepared_launch p(t, gpu);
  p.setup.counts_stalls = !most_cycles;
  if (most_cycles) p.setup.most_clocks = last_clock(p, *most_cycles);
  multiprocessor_run as_is = run_multiprocessor(p.setup);
  p.setup.counts_stalls = false;
  r.is_stopped = as_is.is_stopped;
  r.cycles = r.is_stopped ? *most_cycles : elapsed_of(p, as_is);
  r.is_stopped |= most_cycles && r.cycles > *most_cycles;
  if (r.is_stopped) {
    r.microseconds = r.cycles / gpu.sm_clock / 1000;
    r.replayed = as_is.instructions;
    return r;
  }
  p.setup.most_clocks = std::numeric_limits<double>::infinity();
  r.stalls = stalls_of_all(p, as_is);
  r.barriers = std::move(as_is.barriers);
  const double times = instructions_of_one(p, as_is) / std::max<double>(1, static_cast<double>(as_is.instructions));
  r.use = use_of(t, p.costs, as_is, gpu, p.setup.active, times, r.cycles);
  r.touched_bytes = p.sharing.touched_bytes();
  r.needed = needed_time_of(t, p.costs, p.setup.gpu, as_is.traffic.dram_read * times * p.setup.active);
  r.again = again_of(as_is.traffic);
  r.after_trigger = as_is.triggered != 0 ? as_is.cycles - as_is.triggered : 0;
  r.until_wait = as_is.until_wait;
  r.products = product_parts_of(p, as_is, r.cycles);
  r.needed.cycles = std::min(r.needed.cycles, r.cycles);
  r.microseconds = r.cycles / gpu.sm_clock / 1000;
  r.replayed = as_is.instructions;
  const bool needs_shares = !most_cycles || !is_bound_by_use(r.use);
  double of_shares = r.cycles;
  if (needs_shares && as_is.instructions > most_for_shares) {
    p.setup.most_instructions = most_for_shares;
    of_shares = cycles_without(p, resource::count);
  }
  static_assert(most_for_shares == most_for_changes);
  r.cycles_of_changes = of_shares;
  for (std::size_t i = 0; i < resource_count; ++i) {
    const auto what = static_cast<resource>(i);
    if (!needs_shares || !may_matter(what, as_is)) continue;
    r.replayed += std::min(as_is.instructions, most_for_shares);
    r.shares.push_back({what, std::max(0.0, 1 - cycles_without(p, what) / of_shares)});
  }
  std::stable_sort(r.shares.begin(), r.shares.end(),
                   [](const resource_share& a, const resource_share& b) { return a.share > b.share; });
  r.bound = bound_of(r);
  const error_band& band = band_of(r.bound);
  const double wider = assumed ? wider_for_other_gpus[0] : 1;
  r.cycles_low = r.cycles * band.low / wider;
  r.cycles_high = r.cycles * band.high * wider;
  return r;
}

unsigned launches_compared(resource bound) {
  const error_band& band = band_of(bound);
  return band.bound == bound ? band.launches : 0;
}

changed_launch::changed_launch(const launch_trace& t, const gpu_parameters& gpu, double cycles)
    : prepared_(std::make_unique<prepared_launch>(t, gpu)),
      changes_(t.code.size()),
      sector_changes_(t.code.size()),
      as_it_is_(cycles) {
  prepared_->setup.most_instructions = most_for_changes;
  if (cycles == 0 && !t.blocks.empty()) as_it_is_ = cycles_without(*prepared_, resource::count);
}

changed_launch::~changed_launch() = default;

double changed_launch::part_with(std::span<const changed_instruction> changes, const residency& with) {
  if (as_it_is_ <= 0) return 1;
  prepared_launch& p = *prepared_;
  bool changes_sectors = false;
  for (const changed_instruction& c : changes)
    if (c.code < changes_.size()) {
      changes_[c.code] = c.change;
      sector_changes_[c.code] = c.sectors;
      changes_sectors |= c.sectors.part < 1;
    }
  p.setup.changes = &changes_;
  bool changes_stores = false;
  if (changes_sectors) {
    if (!fewer_) fewer_ = std::make_unique<fewer_sectors>(p.trace);
    changes_stores = fewer_->change(sector_changes_);
    if (changes_stores) p.sharing.change_stores(fewer_->trace());
    p.setup.trace = &fewer_->trace();
  }
  const std::uint32_t slots = std::exchange(p.setup.slots, with.blocks != 0 ? with.blocks : p.setup.slots);
  const double gap = std::exchange(p.setup.gpu.block_gap, p.setup.gpu.block_gap / with.joined);
  free_resources free = without(resource::count);
  free.later_code = with.has_code;
  const double changed = cycles_with(p, free);
  p.setup.slots = slots;
  p.setup.gpu.block_gap = gap;
  p.setup.changes = nullptr;
  if (changes_sectors) {
    p.setup.trace = &p.trace;
    if (changes_stores) p.sharing.change_stores(p.trace);
    fewer_->restore();
  }
  for (const changed_instruction& c : changes)
    if (c.code < changes_.size()) {
      changes_[c.code] = {};
      sector_changes_[c.code] = {};
    }
  return part_of(changed);
}

double part_beyond_chance(double changed, double as_it_is, double least_by_chance) {
  constexpr double clearly = 4;  // times as much as chance saves
  return changed / (as_it_is - changed >= clearly * (as_it_is - least_by_chance) ? as_it_is : least_by_chance);
}

double changed_launch::part_of(double changed) {
  constexpr double clearly_less = 0.98;
  constexpr double later[] = {1.1, 1.25};
  if (changed >= clearly_less * as_it_is_) return changed / as_it_is_;
  if (least_by_chance_ == 0) {
    least_by_chance_ = as_it_is_;
    for (const double factor : later) {
      const double gap = std::exchange(prepared_->setup.gpu.block_gap, prepared_->setup.gpu.block_gap * factor);
      least_by_chance_ = std::min(least_by_chance_, cycles_without(*prepared_, resource::count));
      prepared_->setup.gpu.block_gap = gap;
    }
  }
  return part_beyond_chance(changed, as_it_is_, least_by_chance_);
}

double changed_launch::part_of(const launch_trace& t) {
  if (as_it_is_ <= 0) return 1;
  prepared_launch& p = *prepared_;
  p.setup.trace = &t;
  const double changed = cycles_without(p, resource::count);
  p.setup.trace = &p.trace;
  return part_of(changed);
}

}  // namespace bankwise::timing
