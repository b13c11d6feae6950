// Turns of warps that run competing code. These warps follow a clock and execute one instruction at a time.
#include <algorithm>
#include <array>
#include <bit>

#include "cubin/architectures.hpp"
#include "emulate/block/paths.hpp"
#include "emulate/decode/decode.hpp"
#include "emulate/launch/launch_check.hpp"
#include "emulate/turns/block_runner.hpp"
#include "emulate/turns/path_turns.hpp"

namespace bankwise::emulate {

namespace {

// After other warps have executed this number of clocked instructions, a waiting warp outside of competing code
// continues.
constexpr std::uint64_t turns_of_others = 1024;

// The number of distinct words of shared memory that these lanes are about to access.
std::uint32_t accessed_words(worker& m, const micro_op& u, std::uint32_t lanes) {
  std::array<std::uint32_t, 32> words;
  std::uint32_t count = 0;
  // the offset and the uniform register are equal in all lanes, so they do not change the number of words
  const std::uint32_t* const address = m.operand_row(u.a, 0);
  for (; lanes != 0; lanes &= lanes - 1) words[count++] = address[std::countr_zero(lanes)];
  std::sort(words.begin(), words.begin() + count);
  return static_cast<std::uint32_t>(std::unique(words.begin(), words.begin() + count) - words.begin());
}

path* running_path(warp& w) {
  return w.paths.size() == 1 && w.paths.front().state == path_state::ready ? &w.paths.front() : running(w);
}
std::uint32_t number_of_lanes(std::uint32_t lanes) {
  return lanes == ~0u ? 32u : static_cast<std::uint32_t>(std::popcount(lanes));
}

}  // namespace

bool block_runner::competes(const block_state& block, bool in_turns) const {
  if (in_turns || block.random != 0 || s_.cluster_blocks() != 1) return false;
  const cubin::code_section& code = s_.l->program->sections[s_.l->kernel->section];
  const decoded_section* const section = s_.code->section_at(code.address + s_.l->kernel->offset);
  return section != nullptr && section->competes != nullptr;
}

// Warps that do not follow the clock run first, until they wait.
block_runner::outcome block_runner::run_competing(block_state& block) {
  m_.block = &block;
  short_turns_ = false;
  places_ = turn_places::none;
  if (listener* const all = listeners_.blocks(); all != nullptr) all->on_block(block.linear);
  clocks_.start(block.warps.size(), blocks_together());
  rests_.assign(block.warps.size(), 0);
  ran_at_.assign(block.warps.size(), 0);
  nexts_.assign(block.warps.size(), {});
  clocked_ = 0;
  ticked_ = block.sum.warp_instructions;
  is_rehearsed_ = false;
  for (;;) {
    if (is_rehearsed_) return outcome::ended;
    const who_goes next = look_at_warps(block);
    if (!next.any_alive) return outcome::ended;
    if (!next.at_once && clocks_.first()) {
      if (const auto end = run_by_clock(block, next.rested_at)) return *end;
      continue;
    }
    if (next.other == block.warps.size()) return outcome::stuck;
    warp& w = block.warps[next.other];
    if (!run_until_it_waits(w)) return spent_ ? outcome::spent : outcome::failed;
    clocks_.wait(next.other);
    rests_[next.other] = clocked_ + (running(w) != nullptr ? turns_of_others : 0);
    ran_at_[next.other] = ++runs_;
    m_.gives_way = false;
    if (!tick(w)) return outcome::stopped;
  }
}

block_runner::who_goes block_runner::look_at_warps(block_state& block) {
  const std::size_t count = block.warps.size();
  who_goes found{.other = count};
  for (std::size_t i = 0; i < count; ++i) {
    warp& w = block.warps[i];
    found.any_alive |= w.alive != 0;
    path* const p = w.alive != 0 ? running(w) : nullptr;
    if (p == nullptr) {
      clocks_.wait(i);
      find_next(i, nullptr);
      continue;
    }
    clocks_.wake(i);
    if (find_next(i, p)) continue;
    if (rests_[i] <= clocked_) {
      found.at_once = true;
      found.other = i;
      break;
    }
    // If several warps rest equally long, selects the warp that has not run for the longest time, because these warps
    // may wait for each other.
    const bool sooner = found.other == count || rests_[i] < found.rested_at ||
                        (rests_[i] == found.rested_at && ran_at_[i] < ran_at_[found.other]);
    if (sooner) found.rested_at = rests_[i], found.other = i;
  }
  return found;
}

// Runs warps that follow the clock. Stops when another warp may be next or a resting warp continues. Returns a value if
// the block must stop.
std::optional<block_runner::outcome> block_runner::run_by_clock(block_state& block, std::uint64_t rested_at) {
  const std::uint64_t releases = m_.releases;
  while (const auto turn = clocks_.first()) {
    warp& w = block.warps[turn->warp];
    path* p = nexts_[turn->warp].by;
    const competing_op& op = *nexts_[turn->warp].clocked;
    const micro_op& u = *nexts_[turn->warp].op;
    m_.w = &w;
    if (m_.warps != nullptr) m_.warps->on_warp(w.id);
    const bool looks = op.latency != 0 && !clocks_.has_begun(turn->warp);
    if (clocks_.probe(turn->warp, op,
                      {.at = turn->at,
                       .lanes = number_of_lanes(p->mask),
                       .words = looks ? accessed_words(m_, u, p->mask) : 0,
                       .paths = static_cast<std::uint32_t>(w.arrivals.size())}))
      continue;
    if (!step_by_clock(w, nexts_[turn->warp], turn->at)) return spent_ ? outcome::spent : outcome::failed;
    ++clocked_;
    if (!tick(w)) return outcome::stopped;
    if (m_.releases != releases || clocked_ >= rested_at || is_rehearsed_) return {};
    p = w.alive != 0 ? running_path(w) : nullptr;
    const bool goes_on = find_next(turn->warp, p);
    if (p == nullptr)
      clocks_.wait(turn->warp);
    else if (!goes_on)
      return {};
  }
  return {};
}

// Must be called after each turn. After many instructions, reports progress and checks whether the launch must stop.
// Returns false if the launch must stop.
bool block_runner::tick(warp& w) {
  const std::uint64_t instructions = m_.block->sum.warp_instructions;
  if (instructions - ticked_ < instructions_a_tick) return true;
  if (is_stopped()) {
    m_.w = &w;
    if (m_.warps != nullptr) m_.warps->on_warp(w.id);
    return fail(report_interruption(m_));
  }
  if (tick_) tick_(instructions - ticked_);
  ticked_ = instructions;
  if (!has_recorded_enough()) return true;
  if (s_.l->rehearses)
    is_rehearsed_ = true;
  else
    pass_recording_on(*m_.block);
  return true;
}

// Sets the next instruction of the warp to the next instruction of the path `by`. Null means that the warp has no next
// instruction. Returns false if the instruction does not follow the clock.
bool block_runner::find_next(std::size_t warp, path* by) {
  next_instruction& next = nexts_[warp];
  next = {.by = by};
  if (by != nullptr) {
    const std::uint64_t pc = by->pc;
    if (section_ == nullptr || pc - section_->begin >= section_->end - section_->begin)
      section_ = s_.code->section_at(pc);
    const std::uint64_t offset = section_ != nullptr ? pc - section_->begin : 0;
    if (section_ != nullptr && section_->competes != nullptr && offset % sass::instruction_bytes == 0) {
      next.section = section_;
      next.op = &section_->ops[offset / sass::instruction_bytes];
      const competing_op& op = section_->competes->ops[offset / sass::instruction_bytes];
      if (op.is != competing::no) next.clocked = &op;
    }
  }
  clocks_.set_next(warp, next.clocked);
  return next.clocked != nullptr;
}

// The number of blocks of this launch that share a multiprocessor.
std::uint64_t block_runner::blocks_together() const {
  const std::uint64_t all = cubin::multiprocessors_of(s_.l->program->sm);
  return std::clamp<std::uint64_t>(blocks_of(*s_.l) / all, 1, std::max<std::uint64_t>(1, resident_blocks(*s_.l) / all));
}

// Executes the next instruction of the warp. `at`: the clock at which the instruction is issued.
bool block_runner::step_by_clock(warp& w, const next_instruction& next, std::uint64_t at) {
  const micro_op& u = *next.op;
  const competing_op& op = *next.clocked;
  m_.p = begin_turn(w, *next.by);
  const std::size_t paths = w.paths.size();
  const std::uint32_t lanes = m_.p->mask;
  if (paths > 1) w.takes_turns |= u.op == sass::opcode::YIELD;
  m_.event.what.mask = 0;
  const std::uint64_t pc = m_.p->pc;
  if (!run_one(*next.section, u) || !is_in_budget()) return false;
  const bool there = is_path_of(w);
  const bool had_turn = m_.block->sum.warp_instructions % quantum_ == 0;
  if (there && w.paths.size() > paths && u.op == sass::opcode::BRA) order_branch(w, *m_.p, pc);
  next_turn(m_, u.op, lanes, m_.yielded || (had_turn && u.op == sass::opcode::BRA));
  clocks_.issue(w.id, op,
                {.at = at,
                 .yields = u.op == sass::opcode::YIELD && w.takes_turns && w.paths.size() > 1,
                 .fences = u.op == sass::opcode::MEMBAR,
                 .wavefronts = op.latency != 0 ? pipe_wavefronts(m_.event, u) : 0});
  end_turn(w, there, had_turn);
  return true;
}

bool block_runner::run_until_it_waits(warp& w) {
  m_.w = &w;
  if (m_.warps != nullptr) m_.warps->on_warp(w.id);
  m_.p = begin_turn(w, *running(w));
  m_.event.what.mask = 0;
  std::uint64_t left = quantum_;
  if (!run_path(left) || !is_in_budget()) return false;
  end_turn(w, is_path_of(w), left == 0);
  return true;
}

path* block_runner::begin_turn(warp& w, path& next) {
  m_.yielded = false;
  if (!w.yielded || w.takes_turns || w.paths.size() == 1) return &next;
  return &w.paths[join_ready(w, static_cast<std::size_t>(&next - w.paths.data()))];
}

// Other paths run first in the next turn if this path yielded. The same applies if this path has used its turn and may
// wait for the other paths.
void block_runner::end_turn(warp& w, bool there, bool had_turn) {
  if (w.takes_turns || (!m_.yielded && !had_turn) || !there || m_.p->exclusive) return;
  const auto at = w.paths.begin() + (m_.p - w.paths.data());
  std::rotate(w.paths.begin(), at, at + 1);
}

}  // namespace bankwise::emulate
