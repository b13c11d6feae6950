// Runs a launch, from its parameters to the blocks on the CPU's cores.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/block/block_races.hpp"
#include "emulate/block/externals.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/decode/kept_code.hpp"
#include "emulate/grid/grid.hpp"
#include "emulate/grid/independence.hpp"
#include "emulate/launch/block_recorders.hpp"
#include "emulate/launch/launch_check.hpp"
#include "emulate/launch/launch_constants.hpp"
#include "emulate/memory/changed_bytes.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::uint64_t most_local_total = std::uint64_t{4} << 30;
// limit for the memory of blocks that take turns, in bytes
constexpr std::uint64_t most_resident_total = std::uint64_t{4} << 30;

// The size of a block's registers, local memory and shared memory.
std::uint64_t bytes_of_block(const launch_state& s) {
  return (s.threads + 31) / 32 * (sizeof(lane_row) * register_rows + std::uint64_t{s.local_bytes} * 32) +
         s.shared_bytes;
}

// The code of a launch. If possible, the code comes from an earlier launch. The code is kept for later launches. Code
// that is watched for races is not kept.
class lent_code {
 public:
  lent_code(const launch& l, const kept_code::constants& banks, const counted_code& counted, instruction_use use)
      : keeps_(l.checks_operands || counted.watched != nullptr ? nullptr : l.kept.get()) {
    const kept_code::origin from{.program = l.program,
                                 .section = counted.section,
                                 .counting = counted.needed != nullptr ? l.counting : nullptr,
                                 .follows = counted.follows,
                                 .use = use,
                                 .compile_after = l.compile_after,
                                 .tells_order = counted.tells_order,
                                 .checks_synchronisation = counted.checks_synchronisation};
    if (keeps_ != nullptr) one_ = keeps_->take(from, banks);
    if (one_.empty())
      one_.push_back(
          {from, std::make_unique<code_cache>(*l.program, banks, l.checks_operands, counted, use, l.compile_after)});
  }
  ~lent_code() {
    if (keeps_ != nullptr) keeps_->give_back(std::move(one_));
  }
  lent_code(const lent_code&) = delete;
  lent_code& operator=(const lent_code&) = delete;

  code_cache& operator*() const { return *one_.front().code; }
  // Blocks that ended in an earlier launch, and can be reused.
  spare_blocks* spare() const { return keeps_ == nullptr ? nullptr : one_.front().spare.get(); }

 private:
  kept_code* const keeps_;
  kept_code::one_entry one_;
};

// Whether the caller wants races to be detected, and blocks of the launch can race. Races are detected only if all
// blocks run in order.
bool may_race(const launch& l, std::uint64_t blocks) {
  constexpr std::uint64_t most_blocks = 0xffffffff;
  return l.racing != nullptr && !l.cooperative && !runs_by_class(l) && l.seed == 0 && !l.time && !is_sample(l) &&
         !l.checks_operands && blocks > 1 && blocks < most_blocks;
}

// Makes the detector of races. Null if no block can load memory that another block changes.
std::unique_ptr<block_races> races_of(const launch& l, const launch_state& s, std::uint64_t together) {
  const auto is_known = [](const sass::pointer_sources& from) { return !from.unknown && !from.may_be_loaded; };
  std::set<const region*> both;
  if (is_known(l.racing->loads) && is_known(l.racing->changes)) {
    const std::set<const region*> loaded = regions_of(l.racing->loads.words, s);
    for (const region* r : regions_of(l.racing->changes.words, s))
      if (loaded.contains(r)) both.insert(r);
    if (both.empty()) return nullptr;
  }
  return std::make_unique<block_races>(*l.racing, std::move(both), together, l.interleaves);
}

// Restores all memory that the launch has changed, when this object is destroyed.
class rehearsal {
 public:
  explicit rehearsal(launch_state& s) : memory_(*s.memory), heap_(s.memory->heap()), outcome_(s.l->outcome) {
    s.changed = &changed_;
  }
  ~rehearsal() {
    changed_.undo();
    if (outcome_ != nullptr) *outcome_ = std::move(changed_);
    memory_.heap() = std::move(heap_);
  }
  rehearsal(const rehearsal&) = delete;
  rehearsal& operator=(const rehearsal&) = delete;

 private:
  device_memory& memory_;
  device_heap heap_;  // the heap before the launch
  changed_bytes* const outcome_;
  changed_bytes changed_;
};

launch_state state_of(const launch& l, device_memory& memory) {
  const cubin::kernel& k = *l.kernel;
  launch_state s;
  s.l = &l;
  s.memory = &memory;
  s.threads = l.block[0] * l.block[1] * l.block[2];
  s.cluster = cluster_of(l);
  s.shared_bytes = k.reserved_shared_bytes + k.static_shared_bytes + l.dynamic_shared_bytes;
  s.shared_end =
      l.strict_bounds ? s.shared_bytes : (s.shared_bytes + shared_granule - 1) / shared_granule * shared_granule;
  s.local_bytes = (std::max(k.frame_bytes + l.stack_bytes, k.stack_bytes) + 15) / 16 * 16;
  s.thread_index.resize((s.threads + 31) / 32);
  for (std::uint32_t t = 0; t < s.thread_index.size() * 32; ++t) {
    thread_rows& rows = s.thread_index[t / 32];
    const std::uint32_t thread = l.warps == warp_shape{} ? t : thread_of(l.warps, t / 32, t % 32);
    rows.x.at[t % 32] = thread % l.block[0];
    rows.y.at[t % 32] = thread / l.block[0] % l.block[1];
    rows.z.at[t % 32] = thread / l.block[0] / l.block[1];
  }
  for (const auto& [number, bytes] : l.program->banks)
    if (number < constant_banks) s.banks[number] = bytes;
  for (const auto& [number, bytes] : k.banks)
    if (number < constant_banks) s.banks[number] = bytes;
  if (counts_only(l)) {
    s.leaves_global = l.counting->leaves_global;
    s.leaves_shared = l.counting->leaves_shared;
    s.leaves_tensors = l.counting->leaves_tensors;
  }
  // Only a run by class follows how blocks differ.
  if (runs_by_class(l) && !l.counting->follows.empty()) s.followed = &l.counting->follows;
  return s;
}

// Allocates the memory that the launch needs in addition to its arguments: workspace, heap, constants and parameters.
std::optional<diagnostic> place_extras(const launch& l, launch_state& s) {
  std::uint64_t workspace = 0;
  if (l.cooperative) {
    const auto at = s.memory->grid_workspace();
    if (!at) return at.error();
    workspace = *at;
  }
  const std::vector<std::string>& externals = l.program->externals;
  if (std::any_of(externals.begin(), externals.end(), uses_heap))
    if (const auto made = s.memory->make_heap(); !made) return made.error();
  const auto constants = s.memory->place_constants(l.program, s.banks[cubin::variable_bank]);
  if (!constants) return constants.error();
  s.banks[0] = launch_constants(l, s.local_bytes, workspace, *constants);
  if (const auto placed = s.memory->place_parameters(s.banks[0]); !placed) return placed.error();
  return std::nullopt;
}

// `resident`: the number of blocks that may be on the GPU at the same time.
grid_plan grid_plan_of(const launch& l, const launch_state& s, std::uint64_t resident) {
  const std::uint32_t together = s.cluster_blocks();
  const std::uint64_t total = blocks_of(l);
  grid_plan plan{.grid = {l.grid[0] / s.cluster[0], l.grid[1] / s.cluster[1], l.grid[2] / s.cluster[2]},
                 .blocks = (is_sample(l) ? std::max<std::uint64_t>(l.most_blocks, together) : total) / together,
                 .time = l.time,
                 .cluster_blocks = together,
                 .most_resident = std::max<std::uint64_t>(1, resident / together),
                 .all_at_once = l.cooperative};
  plan.by_class = runs_by_class(l);
  const std::uint64_t room_for_local =
      std::max<std::uint64_t>(1, most_local_total / (std::uint64_t{s.local_bytes} * 1024));
  // called once, because the function reads a file
  static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned wanted = l.threads != 0 ? l.threads : cores;
  plan.workers = static_cast<unsigned>(std::min({std::uint64_t{wanted}, plan.blocks, room_for_local}));
  return plan;
}

// Whether a cluster of the launch may take the work of a cluster that has not begun.
bool asks_for_work(const decoded_section& code) {
  return std::any_of(code.ops.begin(), code.ops.end(),
                     [](const micro_op& u) { return u.op == sass::opcode::UGETNEXTWORKID; });
}

launch_result result_of(grid_result& ran, std::uint32_t together) {
  return {.blocks = ran.finished * together,
          .counted = ran.counted * together,
          .begun = ran.begun * together,
          .stopped = ran.stopped,
          .stopped_at = {},
          .sum = ran.sum,
          .out_of_bounds = std::move(ran.out_of_bounds),
          .instructions = std::move(ran.instructions),
          .raced = false,
          .races = {}};
}

result<launch_result> run_checked(const launch& l, device_memory& memory, const launch_hooks& hooks, fault_kind& kind) {
  if (const auto checked = check(l, kind); !checked) return checked.error();
  const cubin::kernel& k = *l.kernel;
  launch_state s = state_of(l, memory);
  std::mutex heap;
  s.heap = &heap;
  s.prints = hooks.print || hooks.print_error;
  launches_of_kernel launches{hooks.launch, hooks.set_condition, {}, {}};
  s.launches = &launches;
  s.recorders = hooks.recorders;
  s.clocks = hooks.clocks;
  if (hooks.recorders != nullptr) hooks.recorders->begin_launch();

  const std::uint64_t total = blocks_of(l);
  kind = fault_kind::out_of_memory;
  const std::uint64_t room = std::max<std::uint64_t>(1, most_resident_total / bytes_of_block(s));
  if (l.cooperative && total > room)
    return diagnostic{
        formatted("kernel {}: the launch is cooperative, so bankwise must keep the registers and local memory of all "
                  "{} blocks. This is more than the limit of {} bytes",
                  k.name, grouped(total), grouped(most_resident_total)),
        {},
        "launch fewer blocks"};
  if (auto failed = place_extras(l, s)) return std::move(*failed);
  const bool counts = counts_only(l);
  const std::uint32_t together = s.cluster_blocks();
  std::unique_ptr<block_races> races;
  if (may_race(l, total / together)) races = races_of(l, s, std::max<std::uint64_t>(1, resident_blocks(l) / together));
  s.races = races.get();
  const bool interleaves = races != nullptr && races->interleaves();
  const counted_code counted{
      counts ? &l.counting->needed : nullptr,          s.followed,        k.section,
      races != nullptr ? &l.racing->watched : nullptr, l.tells_all_order, l.checks_synchronisation};
  const lent_code code(l, s.banks, counted, interleaves ? instruction_use::interpret : l.use);
  s.code = &*code;
  kind = fault_kind::invalid_launch;
  const std::uint64_t begin = l.program->sections[k.section].address + k.offset;
  const decoded_section* entry = (*code).section_at(begin);
  if (entry == nullptr) return diagnostic{formatted("kernel {} has no code", k.name)};
  grid_plan plan = grid_plan_of(l, s, std::min(resident_blocks(l), room));
  plan.spare = code.spare();
  plan.in_turns = l.cooperative || interleaves;
  std::optional<reduction_order> reductions;
  if (!plan.in_turns && !plan.by_class) {
    const bool one_worker = plan.workers == 1;
    independence blocks =
        independence_of(*entry, begin, *l.program, s, one_worker, counts ? &l.counting->needed.needed : nullptr);
    plan.in_turns = !blocks.side_by_side;
    if (!blocks.reduced.empty()) s.reductions = &reductions.emplace(std::move(blocks.reduced), one_worker);
  }
  const bool is_whole = plan.blocks == total / together && !l.time && l.chosen == nullptr;
  if (asks_for_work(*entry) && is_whole && !plan.by_class && !l.cooperative) {
    plan.places = std::min(plan.blocks, plan.most_resident);
    plan.workers = static_cast<unsigned>(std::min<std::uint64_t>(plan.workers, plan.places));
  }
  plan.shares_work = plan.in_turns && !interleaves && entry->takes_work;
  if (plan.in_turns) plan.workers = 1;
  launch_hooks around = hooks;
  if (hooks.idle)
    around.idle = [&](bool changed) {
      if (l.cooperative) memory.keep_workspace();
      return hooks.idle(changed) && memory.place_parameters(s.banks[0]);
    };
  std::optional<rehearsal> rehearsed;
  if (l.rehearses) rehearsed.emplace(s);
  grid_result ran = run_grid(s, plan, around);
  if (races != nullptr && !interleaves && races->is_found()) {
    races->undo();
    launch_result again;
    again.raced = true;
    return again;
  }
  if (l.executed != nullptr) *l.executed += ran.executed;
  for (const auto& [parameters, child] : launches.prepared)
    memory.heap().release(parameters);  // frees the parameters of child launches that were prepared but never made
  launch_result done = result_of(ran, together);
  if (interleaves) done.races = races->noted(entry->begin);
  if (ran.failure && ran.stopped == stop_reason::none) {
    kind = ran.failure->kind;
    return std::move(ran.failure->error);
  }
  if (ran.failure) done.stopped_at = std::move(ran.failure->error);
  return done;
}

}  // namespace

void apply(const run_options& o, launch& l) {
  l.threads = o.threads;
  l.seed = o.seed;
  l.strict_bounds = o.strict_bounds;
  l.predicts_time = o.predicts_time;
  l.counts_global = !o.leaves_out_global;
  l.timed_gpu = o.timed_gpu;
  l.warm_caches = o.warm_caches;
  if (o.interprets) l.use = instruction_use::interpret;
  if (o.budget != 0) l.budget = std::min(l.budget, o.budget);
  l.most_blocks = o.ctas;
}

result<launch_result> run_launch(const launch& l, device_memory& memory, const launch_hooks& hooks) {
  fault_kind kind = fault_kind::none;
  auto ran = run_checked(l, memory, hooks, kind);
  if (!ran && l.fault != nullptr) *l.fault = kind;
  return ran;
}

bool counts_only(const launch& l) {
  return l.counting != nullptr && l.counting->possible && !l.cooperative && l.seed == 0;
}

bool runs_by_class(const launch& l) {
  const auto [x, y, z] = cluster_of(l);
  return counts_only(l) && l.counting->by_class && !is_sample(l) &&
         (l.counting->follows.empty() || (!has_clusters(l) && x * y * z == 1));
}

result<done> load_variables(const cubin::program& p, device_memory& memory) {
  for (const cubin::data_segment& d : p.data) {
    if (const auto placed = memory.place(d.address, d.bytes, "__device__ variables"); !placed) return placed.error();
    if (!d.init.empty()) std::memcpy(memory.bytes_at(d.address, d.init.size()), d.init.data(), d.init.size());
  }
  return done{};
}

}  // namespace bankwise::emulate
