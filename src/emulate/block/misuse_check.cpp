#include "emulate/block/misuse_check.hpp"

#include <algorithm>
#include <bit>

#include "emulate/block/order_events.hpp"
#include "emulate/code/shuffle_lanes.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t near = 4;  // number of instructions between a WARPSYNC and what it prepares

bool is_shuffle(opcode op) {
  return op == opcode::SHFL_RR || op == opcode::SHFL_RI || op == opcode::SHFL_IR || op == opcode::SHFL_II;
}
bool is_block_barrier(opcode op) {
  return op == opcode::BAR_RR || op == opcode::BAR_RI || op == opcode::BAR_IR || op == opcode::BAR_II;
}
bool is_warpsync(opcode op) { return op == opcode::WARPSYNC_R || op == opcode::WARPSYNC_I; }
bool exchanges(opcode op) {
  return is_shuffle(op) || op == opcode::VOTE || op == opcode::VOTEU || op == opcode::MATCH || op == opcode::REDUX;
}

// The lanes of the warp that exist, because the block has a thread for each of them.
u32 first_lanes(const worker& m, const warp& w) {
  const u32 begin = w.id * 32, threads = m.s->threads;
  return threads <= begin ? 0 : threads - begin >= 32 ? ~u32{0} : (u32{1} << (threads - begin)) - 1;
}

// Whether one of the next instructions from this address on has a property.
template <class F>
bool follows(const worker& m, u64 pc, F is) {
  const decoded_section* const s = m.section;
  if (s == nullptr || pc < s->begin || pc >= s->end) return false;
  const std::size_t n = (pc - s->begin) / 16, last = std::min(n + near, s->ops.size());
  return std::any_of(s->ops.begin() + static_cast<std::ptrdiff_t>(n),
                     s->ops.begin() + static_cast<std::ptrdiff_t>(last), [&](const micro_op& u) { return is(u.op); });
}
// Lanes that return early may do this at the end of the code.
bool are_about_to_end(const worker& m, u64 pc) {
  return follows(m, pc, [](opcode op) { return op == opcode::EXIT; });
}

void tell(const worker& m, misuse what) {
  what.warp = what.warp_of_others = m.w->id;
  m.misuses->on_misuse(what);
}

void note_end(worker& m, const micro_op& u, u32 mask) {
  const u32 ending = mask & m.predicate(u.q0, u.q0_flip);
  for (u32 rest = ending; rest != 0; rest &= rest - 1) {
    m.w->ended_at[std::countr_zero(rest)] = m.pc_of(u);
    m.w->ended_path[std::countr_zero(rest)] = ending == m.p->mask ? m.p->begin : 0;
  }
}

void check_mask(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::lane_gathering>();
  const u32* const masks = u.op == opcode::WARPSYNC_R ? m.operand_row(u.a, 0) : nullptr;
  const auto mask_of = [&](int lane) { return masks != nullptr ? masks[lane] : f.lanes; };
  u32 without = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1)
    if (const int lane = std::countr_zero(rest); (mask_of(lane) >> lane & 1) == 0) without |= u32{1} << lane;
  const u64 pc = m.pc_of(u);
  if (without != 0)
    tell(m, {.kind = misuse_kind::mask_without_caller,
             .pc = pc,
             .lanes = without,
             .mask = mask_of(std::countr_zero(without))});
}

void check_shuffle(worker& m, const micro_op& u, u32 mask) {
  if (mask == ~u32{0}) return;
  const sass::shuffle_mode mode = u.as<sass::lane_shuffle>().mode;
  const u32 *by = m.operand_row(u.b, 1), *limit = m.operand_row(u.c, 2);
  u32 readers = 0, read = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(rest));
    const shuffled_lane s = shuffled(mode, lane, by[lane], limit[lane]);
    if ((mask >> s.from & 1) != 0) continue;
    readers |= u32{1} << lane;
    read |= u32{1} << s.from;
  }
  if (readers != 0)
    tell(m, {.kind = misuse_kind::inactive_lane,
             .pc = m.pc_of(u),
             .lanes = readers,
             .others = read,
             .by_index = mode == sass::shuffle_mode::by_index});
}

// Lanes of a warp may arrive at a barrier one after the other, for example after loops of different lengths. But no lane
// may go past the barrier, or wait at another barrier.
void check_barrier(worker& m, const micro_op& u, u32 mask) {
  const u64 pc = m.pc_of(u);
  u32 others = m.p->mask & ~mask;
  u64 where = 0;
  for (const path& p : m.w->paths)
    if (&p != m.p && p.state == path_state::at_block && p.pc != pc) others |= p.mask, where = p.pc;
  if (others == 0) return;
  tell(m, {.kind = misuse_kind::divergent_barrier, .pc = pc, .lanes = mask, .others = others, .pc_of_others = where});
}

}  // namespace

bool may_be_misused(opcode op) {
  return is_shuffle(op) || is_block_barrier(op) || is_warpsync(op) || op == opcode::EXIT;
}

step run_misuse_check(worker& m, const micro_op& u, u32 mask) {
  if (m.misuses != nullptr && mask != 0) {
    if (is_shuffle(u.op))
      check_shuffle(m, u, mask);
    else if (is_warpsync(u.op))
      check_mask(m, u, mask);
    else if (u.op == opcode::EXIT)
      note_end(m, u, mask);
    else
      check_barrier(m, u, mask);
  }
  return u.checked(m, u, mask);
}

step run_told_and_misuse_check(worker& m, const micro_op& u, u32 mask) {
  tell_order(m, u, mask);
  return run_misuse_check(m, u, mask);
}

void tell_lanes_passed(const worker& m, const path& at, u32 here, u32 passed) {
  if (m.misuses == nullptr || are_about_to_end(m, at.pc + 16)) return;
  for (const path& p : m.w->paths)
    if (p.state == path_state::at_warpsync && (p.mask & passed) != 0 && (p.wait_mask & here) != 0)
      tell(m, {.kind = misuse_kind::mask_of_others,
               .pc = p.pc,
               .lanes = p.mask,
               .others = p.wait_mask & here,
               .mask = p.wait_mask,
               .pc_of_others = at.pc});
}

void tell_lanes_ended(const worker& m, const path& at) {
  if (m.misuses == nullptr) return;
  const u32 ended = at.wait_mask & first_lanes(m, *m.w) & ~m.w->alive;
  if (ended != 0 && follows(m, at.pc + 16, exchanges))
    tell(m, {.kind = misuse_kind::mask_of_ended,
             .pc = at.pc,
             .lanes = at.mask,
             .others = ended,
             .mask = at.wait_mask,
             .pc_of_others = m.w->ended_at[std::countr_zero(ended)]});
}

// Reports lanes that have ended, for each way on which they ended, if other lanes of their warp wait at the barrier.
static void tell_barrier_left(worker& m, const warp& w, unsigned n, u32 ended) {
  const auto waiting = std::find_if(w.paths.begin(), w.paths.end(),
                                    [&](const path& p) { return p.state == path_state::at_block && p.barrier == n; });
  if (waiting == w.paths.end()) return;
  while (ended != 0) {
    const u64 begin = w.ended_path[std::countr_zero(ended)];
    u32 same = 0;
    for (u32 rest = ended; rest != 0; rest &= rest - 1)
      if (const int lane = std::countr_zero(rest); w.ended_path[lane] == begin) same |= u32{1} << lane;
    ended &= ~same;
    // Lanes that jump to their end have been reported.
    if (begin != 0 && begin != w.ended_at[std::countr_zero(same)])
      m.misuses->on_misuse({.kind = misuse_kind::left_barrier,
                            .pc = waiting->pc,
                            .warp = w.id,
                            .lanes = waiting->mask,
                            .others = same,
                            .warp_of_others = w.id,
                            .pc_of_others = begin});
  }
}

void tell_barrier_skipped(worker& m, unsigned n) {
  if (m.misuses == nullptr) return;
  const block_barrier& b = m.block->barriers[n];
  const warp* waits = nullptr;
  u64 pc = 0;
  u32 lanes = 0;
  for (const warp& w : m.block->warps)
    for (const path& p : w.paths)
      if (waits == nullptr && p.state == path_state::at_block && p.barrier == n) waits = &w, pc = p.pc, lanes = p.mask;
  if (waits == nullptr) return;
  for (const warp& w : m.block->warps) {
    const u32 ended = first_lanes(m, w) & ~w.alive & ~b.arrived[w.id];
    if (ended == 0) continue;
    m.misuses->on_misuse({.kind = misuse_kind::skipped_barrier,
                          .pc = pc,
                          .warp = waits->id,
                          .lanes = lanes,
                          .others = ended,
                          .warp_of_others = w.id,
                          .pc_of_others = w.ended_at[std::countr_zero(ended)]});
    tell_barrier_left(m, w, n, ended);
  }
}

}  // namespace bankwise::emulate
