#include "emulate/turns/block_runner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "base/random_numbers.hpp"
#include "cubin/architectures.hpp"
#include "emulate/block/block_races.hpp"
#include "emulate/block/cluster.hpp"
#include "emulate/block/externals.hpp"
#include "emulate/block/paths.hpp"
#include "emulate/decode/decode.hpp"
#include "emulate/jit/piece_table.hpp"
#include "emulate/launch/block_clock.hpp"
#include "emulate/launch/block_recorders.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::uint32_t register_step = 8;  // the registers of a thread are rounded up to a multiple of this number
// largest number of instructions that a path executes before other paths get a turn
constexpr std::uint64_t quantum = 8192;
// A block may be waiting for another block if it has executed this number of instructions without a change of global
// memory. It may also be waiting if all of its warps yielded in each of `patient_rounds` rounds. `later_patience`
// applies to blocks that have waited before.
constexpr std::uint64_t first_patience = 1u << 16, later_patience = 1u << 10;
constexpr unsigned patient_rounds = 4;
// A block that only waits during this number of rounds waits forever. One round is not enough, because a barrier may
// release other warps of the block in the next round.
constexpr unsigned rounds_in_vain = 3;
constexpr std::uint64_t longest_turn = 1u << 24;
// The number of instructions that a path executes at a time if resident blocks are interleaved.
constexpr std::uint64_t interleaved_quantum = 512;
// The number of instructions that a path of a cluster's block executes at a time. On a GPU, the blocks of a cluster
// begin at the same time and run side by side. CUTLASS's example 93 relies on this timing: a block clears shared
// memory, and a little later other blocks of the cluster write to this memory.
constexpr std::uint64_t brief_quantum = 64;
constexpr std::uint64_t shared_quantum = 512;
constexpr std::uint64_t instructions_a_tick = 1u << 16;
// Warps whose clocks differ by at most this number of instructions run in the same round.
constexpr std::uint64_t in_step = 32;
// The number of instructions that other warps execute while a warp waits for a load from global memory.
constexpr std::uint64_t global_wait = 128;
// The number of turns of a warp between two barriers that end in a loop. After these turns, warps are not in step any
// more on a GPU either.
constexpr std::uint32_t most_turns_in_loops = 64;

constexpr std::uint64_t most_in_a_seeded_turn = 256;

std::uint64_t next_random(std::uint64_t& state) { return mixed_bits(state += random_step); }

inline bool has_ready(const warp& w) {
  if (w.paths.size() == 1) return w.paths.front().state == path_state::ready;
  return std::any_of(w.paths.begin(), w.paths.end(), [](const path& p) { return p.state == path_state::ready; });
}

bool is_alive(const block_state& b) {
  return std::any_of(b.warps.begin(), b.warps.end(), [](const warp& w) { return w.alive != 0; });
}

// Returns a random ready path. But a ready path that must not be interrupted is always returned.
std::size_t any_ready(const warp& w, std::uint64_t& random) {
  std::size_t chosen = w.paths.size(), ready = 0;
  for (std::size_t i = 0; i < w.paths.size(); ++i) {
    if (w.paths[i].state != path_state::ready) continue;
    if (w.paths[i].exclusive) return i;
    if (next_random(random) % ++ready == 0) chosen = i;
  }
  return chosen;
}

inline std::uint32_t guarded_lanes(const worker& m, const micro_op& u, std::uint32_t lanes) {
  if (!u.uniform_guard) return lanes & (m.w->predicates[u.guard] ^ u.guard_flip);
  return m.uniform_predicate(u.guard, u.guard_flip) ? lanes : 0;
}

void fill_unwritten(block_state& block, std::uint32_t reserved, std::uint32_t number) {
  std::uint64_t state = (block.linear + 1) * random_step + number;
  for (std::size_t at = (reserved + 3) / 4 * 4; at + 4 <= block.shared.size(); at += 4) {
    const auto word = static_cast<std::uint32_t>(next_random(state));
    std::memcpy(block.shared.data() + at, &word, sizeof word);
  }
}

// Writes the mbarrier that tcgen05.alloc.cta_group::2 needs in the reserved shared memory
// (execute/tensor_memory/allocation.cpp). The mbarrier expects one arrival. In the first block of a pair, its first
// phase has ended. This state is an assumption. Without it, ptxas's code would wait forever.
void prepare_pair(block_state& block, std::uint32_t reserved, std::uint32_t sm) {
  constexpr std::size_t barrier_at = 0x48;
  if (sass::isa_of(sm) != sass::isa::blackwell || reserved < barrier_at + 8 || block.shared.size() < barrier_at + 8)
    return;
  constexpr std::uint64_t one_pending = ((std::uint64_t{1} << 20) - 1) << 43,
                          one_expected = ((std::uint64_t{1} << 20) - 1) << 1;
  const std::uint64_t word = one_pending | one_expected | (block.rank % 2 == 0 ? std::uint64_t{1} << 63 : 0);
  std::memcpy(block.shared.data() + barrier_at, &word, sizeof word);
}

}  // namespace

block_runner::block_runner(const launch_state& s, const std::vector<listener*>& listeners, ticker tick,
                           const stop_flags& stop)
    : s_(s), listeners_(listeners), tick_(std::move(tick)), stop_(stop), quantum_(quantum) {
  m_.s = &s;
  if (s.reductions != nullptr) m_.reductions = &reductions_.emplace(*s.reductions);
  listen();
}

bool block_runner::is_stopped() const {
  return std::any_of(stop_.begin(), stop_.end(),
                     [](const auto* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed) != 0; }) ||
         (s_.races != nullptr && !s_.races->interleaves() && s_.races->is_found()) ||
         (s_.changed != nullptr && s_.changed->is_full());
}

void block_runner::listen() {
  m_.events = listeners_.accesses();
  m_.asynchronous = listeners_.asynchronous();
  m_.order = listeners_.order();
  m_.each = listeners_.instructions();
  m_.global = listeners_.global();
  m_.copied = listeners_.copied();
  m_.misuses = listeners_.misuses();
  m_.warps = listeners_.warps();
  // The shift between repeated accesses is a multiple of `repeats` bytes. So the shifted access is aligned if `repeats`
  // is at least 16.
  const std::uint32_t repeats = m_.events == nullptr ? 16 : listeners_.repeats();
  const bool remembers = repeats >= 16 && std::has_single_bit(repeats) && s_.cluster_blocks() == 1;
  m_.repeat_mask = remembers ? repeats - 1 : 0;
  if (m_.section != nullptr) enter(m_.section);
}

// From now on, the block's recorder receives the events. Compiled code is not used, because it does not report the
// events in the order of execution.
void block_runner::begin_recording(block_state& block) {
  recorder_ = block.recorder;
  listeners_.add(*recorder_);
  listen();
}

void block_runner::end_recording() {
  listeners_.remove(*recorder_);
  recorder_ = nullptr;
  listen();
}

// The block's clock follows what the block executes. Compiled code is not used, as for a recorder.
void block_runner::begin_clock(block_state& block) {
  m_.clock = block.clock.get();
  listeners_.add(*m_.clock);
  listen();
}

void block_runner::end_clock(block_state& block) {
  listeners_.remove(*block.clock);
  m_.clock = nullptr;
  listen();
}

// Must be called when the block's recorder has enough.
void block_runner::pass_recording_on(block_state& block) {
  end_recording();
  block.recorder = s_.recorders->rest_of_block(block.linear);
  if (block.recorder == nullptr) return;
  begin_recording(block);
  recorder_->on_block(block.linear);
}

bool block_runner::has_recorded_enough() const { return recorder_ != nullptr && recorder_->has_enough_of_block(); }

void block_runner::start(block_state& block, std::uint64_t cluster, std::uint32_t rank) {
  const launch& l = *s_.l;
  block.index = index_of_block(s_, cluster, rank);
  const std::uint64_t linear =
      block.index[0] + std::uint64_t{l.grid[0]} * (block.index[1] + std::uint64_t{l.grid[1]} * block.index[2]);
  const decoded_section* const section = entry_section();
  listeners_.announce({linear, block.order, block.order - rank, section == nullptr || section->mixes_accesses});
  if (listeners_.drop_finished()) listen();
  block.linear = linear;
  block.rank = rank;
  // the block must look up its region again, and wait for values of earlier blocks if necessary
  if (m_.reductions != nullptr) m_.last_region = nullptr;
  block.ended = false;
  // Listeners keep an access of the lowest block. So they hear the accesses of a lower block again.
  if (linear < m_.last_begun)
    for (access_memo* a : m_.memos_in_use) forget(*a);
  m_.last_begun = linear;
  block.sum = {};
  std::uint64_t state = l.seed + linear * 0xda942042e4dd58b5u;
  block.random = l.seed == 0 ? 0 : next_random(state) | 1;
  block.has_waited = false;
  block.free_registers = 0;
  block.printed.clear();
  block.printed_bytes = 0;
  block.recorder = s_.recorders == nullptr ? nullptr : s_.recorders->of_block(linear);
  block.clock = s_.clocks == nullptr ? nullptr : s_.clocks->of_block(linear);
  // compiled code reads complete windows of words
  block.shared.reserve(s_.shared_end + 2 * 4 * window_words);
  block.shared.assign((s_.shared_end + 15u) / 16 * 16, std::byte{0});  // loads may read beyond the last variable
  if (l.unwritten_words != 0) fill_unwritten(block, l.kernel->reserved_shared_bytes, l.unwritten_words);
  for (block_barrier& b : block.barriers) clear(b);
  if (!block.tensors.cells.empty() || block.tensors.allocated != 0) block.tensors.clear();
  if (s_.cluster_blocks() > 1) prepare_pair(block, s_.l->kernel->reserved_shared_bytes, l.program->sm);
  block.warps.resize((s_.threads + 31) / 32);
  const unsigned written = s_.code->written_rows();
  const std::uint64_t entry = l.program->sections[l.kernel->section].address + l.kernel->offset;
  for (std::uint32_t id = 0; id < block.warps.size(); ++id) {
    warp& w = block.warps[id];
    // Only the rows that the code writes need to be cleared.
    if (w.registers.empty()) w.registers.resize(register_rows);
    std::fill_n(w.registers.begin(), written, lane_row{});
    w.registers[rpc_row] = w.registers[rpc_row + 1] = {};
    w.predicates = {};
    w.predicates[7] = ~0u;
    w.uniform = {};
    interrupted_.erase(&w);
    w.uniform_predicates = 0x80;
    std::memset(w.convergence, 0, sizeof w.convergence);
    w.kept_by_barrier = {};
    w.saved_barriers.clear();
    const std::uint32_t lanes = std::min(32u, s_.threads - id * 32);
    w.alive = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.yielded = w.takes_turns = false;
    w.clock = 0;
    w.turns_left = most_turns_in_loops;
    w.queued = 0;
    w.arrivals.clear();
    w.paths.clear();
    w.paths.reserve(40);  // at most one path for each lane, so the vector is never reallocated
    w.paths.push_back({entry, w.alive});
    w.id = id;
    w.at_cluster = 0;
    w.thread_registers = (l.kernel->registers + register_step - 1) / register_step * register_step;
    waits_.forget(w);
    w.ended_waits.clear();
    w.let_others_look = false;
    w.group_arrivals = w.group_products = 0;
    std::memset(w.calls.depth, 0, sizeof w.calls.depth);
    w.bar_count = 0;
    w.bar_flag = false;
    const std::size_t local_bytes = std::size_t{s_.local_bytes} * 32;
    if (w.local.size() != local_bytes || w.local_used) w.local.assign(local_bytes, std::byte{0});
    w.local_used = false;
    w.has_loaded = false;
  }
}

void block_runner::shuffle_warps(block_state& block) {
  turns_.resize(block.warps.size());
  std::iota(turns_.begin(), turns_.end(), 0u);
  for (std::size_t i = turns_.size(); i > 1; --i) std::swap(turns_[i - 1], turns_[next_random(block.random) % i]);
}

block_runner::outcome block_runner::run_block(block_state& block, turn_length length) {
  if (block.recorder != nullptr) begin_recording(block);
  if (block.clock != nullptr) begin_clock(block);
  const bool by_clock = competes(block, length != turn_length::whole);
  m_.reads_in_turn = !by_clock;
  const outcome end = by_clock ? run_competing(block) : run_turn(block, length);
  for (access_memo* a : m_.memos_in_use) m_.tell_repeats(*a);
  if (recorder_ != nullptr) end_recording();
  if (block.clock != nullptr) end_clock(block);
  block.ended = end == outcome::ended;
  if (block.ended && block.clock != nullptr) block.clock->on_block_end(1);
  if (block.ended && block.recorder != nullptr) block.recorder->on_block_end(1);
  const bool goes_on = end == outcome::waits || end == outcome::stuck;
  if (!goes_on && m_.order != nullptr) m_.order->on_order({.kind = order_kind::end});
  return end;
}

fault_report block_runner::deadlock(block_state& block) {
  m_.block = &block;
  if (auto missing = report_missing_registers(m_)) return std::move(*missing);
  return only_looks(block) ? report_endless_wait(m_, waits_) : report_deadlock(m_);
}

fault_report block_runner::interruption(block_state& block) {
  m_.block = &block;
  for (warp& w : block.warps)
    if (w.alive != 0 && !w.paths.empty()) m_.w = &w, m_.p = &w.paths.back();
  m_.section = s_.code->section_at(m_.p->pc);
  return report_interruption(m_);
}

block_runner::outcome block_runner::run_turn(block_state& block, turn_length length) {
  m_.block = &block;
  if (listener* const all = listeners_.blocks(); all != nullptr) all->on_block(block.linear);
  const std::uint64_t begin = block.sum.warp_instructions;
  const std::uint64_t effects_before = m_.effects;
  m_.looks.again = m_.looks.fresh = 0;
  std::uint64_t effects = m_.effects, since = begin, patience = block.has_waited ? later_patience : first_patience;
  const bool in_turns = length != turn_length::whole;
  const bool is_brief = length == turn_length::brief || length == turn_length::shared;
  const std::uint64_t whole_quantum = length == turn_length::brief    ? brief_quantum
                                      : length == turn_length::shared ? shared_quantum
                                                                      : quantum;
  quantum_ = in_turns ? std::min(whole_quantum, patience) : whole_quantum;
  const bool interleaves = s_.races != nullptr && s_.races->interleaves();
  if (interleaves) quantum_ = interleaved_quantum;
  unsigned idle_rounds = 0, vain_rounds = 0;
  std::uint64_t ticked = begin, dropped = begin;
  turns_.clear();
  short_turns_ = !interleaves && takes_short_turns(block);
  bool all_waited = false;
  for (;;) {
    bool any_alive = false, any_ran = false, all_yielded = true;
    if (block.random != 0) shuffle_warps(block);
    const std::uint64_t releases = m_.releases, latest = short_turns_ && !all_waited ? latest_clock(block) : ~0ull;
    for (std::size_t i = 0; i < block.warps.size(); ++i) {
      warp& w = block.warps[turns_.empty() ? i : turns_[i]];
      if (w.alive == 0) continue;
      any_alive = true;
      if (!has_ready(w) && !pass_those_who_wait(m_, w)) continue;
      // Once a round is often enough, and turns may be short.
      if (!std::exchange(any_ran, true) && is_stopped()) {
        m_.w = &w;
        fail(report_interruption(m_));
        return outcome::stopped;
      }
      if (w.clock > latest) {
        all_yielded = false;
        continue;
      }
      const std::uint64_t ran_before = block.sum.warp_instructions;
      if (!run_warp(w)) return spent_ ? outcome::spent : outcome::failed;
      w.clock += block.sum.warp_instructions - ran_before;
      all_yielded &= m_.yielded;
      if (!m_.renewed.empty()) waits_.end_waits_for_renewed(m_, block);
      waits_.note(m_);
      if (!short_turns_ || m_.releases == releases) continue;
      level(block);
      all_yielded = false;
      break;
    }
    all_waited = all_yielded;
    if (tick_ && block.sum.warp_instructions - ticked >= instructions_a_tick) {
      tick_(block.sum.warp_instructions - ticked);
      ticked = block.sum.warp_instructions;
    }
    if (block.sum.warp_instructions - dropped >= instructions_a_tick) {
      dropped = block.sum.warp_instructions;
      if (listeners_.drop_finished()) {
        listen();
        enter(m_.section);
      }
    }
    if (!any_alive) return outcome::ended;
    if (has_recorded_enough()) {
      if (s_.l->rehearses) return outcome::ended;
      pass_recording_on(block);
    }
    if (!any_ran) {
      turns_that_did_more_ += m_.effects != effects_before;
      ++turns_that_looked_;  // the block waits for its cluster, so the turn counts as a turn that only waits
      return outcome::stuck;
    }
    vain_rounds = all_yielded && waits_.has_all_of(m_, block) ? vain_rounds + 1 : 0;
    if (vain_rounds == rounds_in_vain) return outcome::stuck;
    if (!in_turns) continue;
    if (interleaves) return outcome::waits;
    if (is_brief && !all_yielded && is_alive(block)) return outcome::waits;
    if (m_.effects != effects) {
      effects = m_.effects;
      since = block.sum.warp_instructions;
      patience = first_patience;
      quantum_ = whole_quantum;
      idle_rounds = 0;
    } else {
      idle_rounds = all_yielded ? idle_rounds + 1 : 0;
    }
    if (idle_rounds >= patient_rounds || block.sum.warp_instructions - since > patience ||
        block.sum.warp_instructions - begin > longest_turn) {
      block.has_waited = true;
      turns_that_did_more_ += m_.effects != effects_before || m_.looks.again < 2 * m_.looks.fresh;
      turns_that_looked_ += m_.looks.again != 0;
      return outcome::waits;
    }
  }
}

const decoded_section* block_runner::entry_section() const {
  const cubin::kernel& k = *s_.l->kernel;
  return s_.code->section_at(s_.l->program->sections[k.section].address + k.offset);
}

// Whether warps must stay in step, because turns end at some places of the code.
bool block_runner::takes_short_turns(const block_state& block) const {
  if (block.random != 0 || block.warps.size() < 2 || s_.shared_bytes <= s_.l->kernel->reserved_shared_bytes)
    return false;
  const decoded_section* const section = entry_section();
  return section != nullptr && section->ends != nullptr;
}

// The latest clock of the warps that run in this round.
std::uint64_t block_runner::latest_clock(const block_state& block) const {
  std::uint64_t first = ~std::uint64_t{0} - in_step;
  for (const warp& w : block.warps)
    if (w.alive != 0 && w.clock < first && has_ready(w)) first = w.clock;
  return first + in_step;
}

// Must be called when a barrier has opened. The warps that have left the barrier continue at the same time.
void block_runner::level(block_state& block) {
  std::uint64_t last = 0;
  for (const warp& w : block.warps) last = std::max(last, w.clock);
  for (warp& w : block.warps) {
    if (w.alive == 0 || !has_ready(w)) continue;
    w.clock = last;
    w.turns_left = most_turns_in_loops;
  }
}

// Decides where the turn of this warp ends.
void block_runner::choose_places(const warp& w) {
  if (!short_turns_) {
    places_ = turn_places::none;
    return;
  }
  places_ = w.turns_left != 0 ? turn_places::all : turn_places::once;
  others_ready_.reset();
}

// Whether another warp of the block could run when the running warp first came to a place in this turn.
bool block_runner::are_others_ready() {
  if (!others_ready_)
    others_ready_ = std::any_of(m_.block->warps.begin(), m_.block->warps.end(), [&](const warp& other) {
      return &other != m_.w && other.alive != 0 && has_ready(other);
    });
  return *others_ready_;
}

// The running path is at a place where turns end. Returns whether its turn ends.
bool block_runner::ends_turn(std::size_t index, const turn_ends& ends) {
  m_.p->passes = true;
  warp& w = *m_.w;
  // The paths of a warp share its uniform registers. So a path does not give way to another path here.
  if (m_.p->exclusive || w.paths.size() > 1 || !are_others_ready()) return false;
  if (ends.waits[index]) w.clock += global_wait;
  if (ends.at[index] == turn_ends::place::in_loop) --w.turns_left;
  m_.gives_way = true;
  return true;
}

// Saves the uniform registers of an interrupted path. Other paths use the same registers, and the kernel's code does
// not expect an interruption.
void block_runner::keep_uniform(warp& w, std::uint32_t lanes) {
  std::vector<uniform_state>& all = interrupted_[&w];
  for (uniform_state& u : all) u.lanes &= ~lanes;
  std::erase_if(all, [](const uniform_state& u) { return u.lanes == 0; });
  if (w.paths.size() > 1)
    all.push_back({lanes, w.uniform, w.uniform_predicates});
  else
    interrupted_.erase(&w);
}
// Restores the uniform registers that were last saved for these lanes.
void block_runner::bring_uniform(warp& w, std::uint32_t lanes) {
  const auto found = interrupted_.find(&w);
  if (found == interrupted_.end()) return;
  for (std::size_t n = found->second.size(); n-- != 0;) {
    const uniform_state& u = found->second[n];
    if ((u.lanes & lanes) == 0) continue;
    w.uniform = u.uniform;
    w.uniform_predicates = u.predicates;
    return;
  }
}

// Runs the warp until it waits, ends, or has used its turn. Returns false if the warp failed.
bool block_runner::run_warp(warp& w) {
  m_.w = &w;
  if (m_.warps != nullptr) m_.warps->on_warp(w.id);
  std::uint64_t& random = m_.block->random;
  std::uint64_t left = random == 0 ? quantum_ : 1 + next_random(random) % most_in_a_seeded_turn;
  const std::uint64_t releases = m_.releases;
  choose_places(w);
  while (left != 0) {
    // The youngest path runs first. It is on the deepest branch, and the other paths wait for it at a barrier.
    std::size_t chosen = w.paths.size();
    for (std::size_t i = 0; i < w.paths.size(); ++i)
      if (w.paths[i].state == path_state::ready) chosen = i;
    if (random != 0) chosen = any_ready(w, random);
    m_.yielded = false;
    if (chosen == w.paths.size()) return true;
    if (w.yielded && w.paths.size() > 1) chosen = join_ready(w, chosen);
    m_.p = &w.paths[chosen];
    const std::uint32_t lanes = m_.p->mask;
    if (!interrupted_.empty()) bring_uniform(w, lanes);
    if (!run_path(left)) return false;
    if (std::exchange(m_.gives_way, false)) return true;
    const bool may_turn = w.paths.size() > 1 && (random != 0 || left == 0);
    if (may_turn || (!interrupted_.empty() && interrupted_.count(&w) != 0)) keep_uniform(w, lanes);
    if (!is_in_budget()) return false;
    if (left == 0 || m_.yielded) {
      const bool there = is_path_of(w);
      if (there && m_.p->exclusive && m_.p->state == path_state::ready) {
        // This path must not be interrupted, because it uses the uniform registers, which all paths of the warp share.
        // So it executes one more instruction, and is checked again.
        left = 1;
        continue;
      }
      if (there) {
        const auto at = w.paths.begin() + (m_.p - w.paths.data());
        std::rotate(w.paths.begin(), at, at + 1);
      }
      return true;
    }
    if (short_turns_ && m_.releases != releases) return true;
  }
  return true;
}

bool block_runner::is_in_budget() {
  if (m_.block->sum.warp_instructions <= s_.l->budget) return true;
  spent_ = true;
  return fail(report_endless_block(m_));
}

// Executes a compiled piece of code. Sets `u` to the instruction at which the piece ended, or to the instruction after
// the piece.
step block_runner::run_piece(const piece& p, std::uint32_t lanes, const micro_op*& u) {
  warp& w = *m_.w;
  piece_frame frame{.m = &m_,
                    .registers = w.reg(0),
                    .predicates = w.predicates.data(),
                    .uniform = w.uniform.data(),
                    .uniform_predicates = &w.uniform_predicates,
                    .memos = m_.memos,
                    .shared = m_.block->shared.data(),
                    .repeat_mask = m_.repeat_mask,
                    .lanes = lanes};
  const piece_end end = p.run(&frame);
  if (m_.out_of_memory) throw std::bad_alloc();
  u += end.passed;
  return static_cast<step>(end.last);
}

void block_runner::enter(const decoded_section* section) {
  m_.section = section;
  m_.memos = nullptr;
  if (section == nullptr || m_.repeat_mask == 0) return;
  auto& memos = m_.memos_of[section];
  memos.resize(section->memos);
  m_.memos = memos.data();
}

bool block_runner::run_one(const decoded_section& section, const micro_op& u) {
  if (m_.section != &section) enter(&section);
  const std::uint64_t pc = m_.p->pc;
  const std::uint32_t lanes = m_.p->mask, mask = guarded_lanes(m_, u, lanes);
  const step s = mask != 0 || u.always ? u.run(m_, u, mask) : step::next;
  m_.block->count(1, lanes);
  if (m_.each != nullptr) m_.each->on_instructions(pc, 1, lanes);
  if (s == step::fault) return fail(report_fault(m_, pc));
  if (s == step::next) m_.p->pc = pc + sass::instruction_bytes;
  return true;
}

// Runs the path until it waits, ends or splits, or until it has executed `left` instructions.
bool block_runner::run_path(std::uint64_t& left) {
  for (;;) {
    const std::uint64_t pc = m_.p->pc;
    if (m_.section == nullptr || pc < m_.section->begin || pc >= m_.section->end) enter(s_.code->section_at(pc));
    if (m_.section == nullptr && supplied(pc) != nullptr) return call(*supplied(pc), left);
    if (m_.section == nullptr || (pc - m_.section->begin) % 16 != 0) return fail(report_jump_outside(m_, pc));
    const micro_op* const first = m_.section->ops.data();
    const micro_op* const last = first + m_.section->ops.size();
    const micro_op* u = first + (pc - m_.section->begin) / 16;
    const micro_op* const begin = u;
    const std::uint32_t lanes = m_.p->mask;
    const micro_op* limit = static_cast<std::uint64_t>(last - u) > left ? u + left : last;
    const turn_ends* const ends = places_ != turn_places::none ? m_.section->ends.get() : nullptr;
    if (ends != nullptr) {
      const std::size_t from = static_cast<std::size_t>(u - first) + (std::exchange(m_.p->passes, false) ? 1 : 0);
      limit = std::min(limit, first + ends->first_from(from, places_));
    }
    const turn_places places = ends != nullptr ? places_ : turn_places::none;
    step s = step::next;
    if (piece_table* const pieces = m_.section->pieces.get();
        pieces != nullptr && recorder_ == nullptr && m_.clock == nullptr)
      while (u != limit && s == step::next) {
        const piece* const p = pieces->enter(static_cast<std::size_t>(u - first), lanes == ~0u, places);
        if (p == nullptr || p->count > static_cast<std::uint64_t>(limit - u)) break;
        s = run_piece(*p, lanes, u);
      }
    while (u != limit && s == step::next) {
      const std::uint32_t mask = guarded_lanes(m_, *u, lanes);
      if (mask != 0 || u->always) {
        s = u->run(m_, *u, mask);
        if (s != step::next) break;
      }
      ++u;
    }
    const auto ran = static_cast<std::uint64_t>(u - begin) + (s != step::next && s != step::again ? 1 : 0);
    m_.block->count(ran, lanes);
    if (m_.each != nullptr && ran != 0) m_.each->on_instructions(pc, ran, lanes);
    left -= ran;
    if (s == step::fault) return fail(report_fault(m_, m_.section->begin + static_cast<std::uint64_t>(u - first) * 16));
    if (s == step::again) {
      m_.p->pc = m_.section->begin + static_cast<std::uint64_t>(u - first) * 16;
      return true;
    }
    if (s == step::next) {
      m_.p->pc = m_.section->begin + static_cast<std::uint64_t>(u - first) * 16;
      if (ends != nullptr && u != last && ends->first_from(static_cast<std::size_t>(u - first), places) == u - first) {
        if (ends_turn(static_cast<std::size_t>(u - first), *ends) || left == 0) return true;
        continue;
      }
      if (left == 0) return true;
      return fail(report_jump_outside(m_, m_.p->pc));
    }
    if (s == step::moved || left == 0 || m_.yielded) return true;
  }
}

// Returns the name of the driver's function at this address. Null if bankwise does not supply the function.
const std::string* block_runner::supplied(std::uint64_t pc) const {
  const std::vector<std::string>& names = s_.l->program->externals;
  const std::uint64_t base = s_.l->program->bases.external, n = (pc - base) / 16;
  return pc >= base && pc % 16 == 0 && n < names.size() && is_supplied(names[n]) ? &names[n] : nullptr;
}

// A call of such a function counts as one instruction.
bool block_runner::call(const std::string& name, std::uint64_t& left) {
  const std::uint64_t back = m_.p->pc = return_address(m_);
  enter(s_.code->section_at(back - 16));
  m_.block->count(1, m_.p->mask);
  --left;
  for (std::uint32_t rest = m_.p->mask; rest != 0; rest &= rest - 1)
    if (std::uint32_t& depth = m_.w->calls.depth[std::countr_zero(rest)]; depth != 0) --depth;
  return call_supplied(m_, name) != step::fault || fail(report_fault(m_, back - 16));
}

}  // namespace bankwise::emulate
