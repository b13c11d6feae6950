// Branches, calls, barriers and special registers.
#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/architectures.hpp"
#include "emulate/execute/lanes.hpp"
#include "emulate/execute/mbarrier.hpp"
#include "emulate/execute/places.hpp"
#include "emulate/launch/block_clock.hpp"
#include "emulate/launch/guardrails.hpp"
#include "sass/special_register.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

u64 pair_at(worker& m, const micro_op& u, int lane) {
  return join(m.operand_row(u.a, 0)[lane], m.operand_row(u.a_high, 1)[lane]);
}

// Each lane of `mask` jumps to the address in its own register. Lanes with the same target stay together. If the
// hardware issues the instruction again for each further target, `is_issued_again` adds these issues to the counts of
// the launch, with the lanes that have not jumped yet. The counts of the single instruction do not contain them.
step indirect(worker& m, const micro_op& u, u32 mask, u64 base, bool is_issued_again = false) {
  u64 target[32];
  each_lane(mask, [&](int i) { target[i] = base + pair_at(m, u, i); });
  const u64 after = m.pc_of(u) + 16;
  u32 rest = mask;
  path* current = m.p;
  while (rest != 0) {
    if (is_issued_again && rest != mask) m.block->count(1, rest);
    const u64 to = target[std::countr_zero(rest)];
    u32 group = 0;
    each_lane(rest, [&](int i) {
      if (target[i] == to) group |= lane_bit[i];
    });
    rest &= ~group;
    if (group == current->mask)
      current->pc = to;
    else
      split(m, group, to);
    if (group == m.p->mask) break;
  }
  if ((m.p->mask & ~mask) != 0) m.p->pc = after;
  return step::jumped;
}

// Executes BRA. A lane branches if its guard and a second predicate (with .U, a uniform predicate) are both true. With
// .ANY, the whole path branches if any of its lanes branches. .DIV and .CONV use a lane mask in a uniform register.
// With .DIV, the whole path branches if a lane of the mask is on another path or has a false guard. With .CONV, the path
// branches if no lanes of the mask are on other paths.
step bra(worker& m, const micro_op& u, u32 mask) {
  u32 taken = mask & m.predicate(u.q0, u.q0_flip);
  const sass::branch& how = u.as<sass::jump>().how;
  if (how.kind == sass::branch_kind::uniform) {
    if (!m.uniform_predicate(how.predicate, how.predicate_negated ? ~0u : 0)) taken = 0;
  } else if (how.kind != sass::branch_kind::plain) {
    const u32 lanes = how.has_lanes ? m.w->uniform[how.lanes] ^ (how.lanes_inverted ? ~u32{0} : 0) : ~u32{0};
    // Several tiles of a warp may execute the branch on one path, each with its own mask. R2UR's predicate is then the
    // guard: it is true only for the lanes whose mask is that of the first lane. No tile may go on with the fast code
    // after the branch, because a vote there would count the lanes of all tiles.
    const bool diverged = how.kind == sass::branch_kind::diverged;
    const u32 here = diverged && taken != 0 ? taken : m.p->mask;
    const bool absent = (lanes & m.w->alive & ~here) != 0;
    if (absent != diverged) taken = 0;
    if (diverged && taken != 0) taken = m.p->mask;
  }
  if (how.any && taken != 0) taken = m.p->mask;
  return branch(m, u, taken, u.target);
}

// Measured on an H100: tests/kernels/switch_table.cu.
step brx(worker& m, const micro_op& u, u32 mask) { return indirect(m, u, mask, u.target, true); }
u32 note_call(worker& m, const micro_op& u, u32 lanes) {
  call_log& calls = m.w->calls;
  const u64 pc = m.pc_of(u);
  each_lane(lanes, [&](int i) { calls.at[calls.depth[i]++ % call_log::kept][i] = pc; });
  return lanes;
}
// Removes one call from each lane's log: the call after which the lane continues. Usually, this is the last call in the
// log.
u32 note_return(worker& m, const micro_op& u, u32 lanes, u64 base) {
  call_log& calls = m.w->calls;
  each_lane(lanes, [&](int i) {
    const u32 depth = calls.depth[i], known = std::min(depth, call_log::kept);
    if (depth == 0) return;
    const u64 to = base + pair_at(m, u, i) - 16;
    u32 back = 1;
    while (back < known && calls.at[(depth - back) % call_log::kept][i] != to) ++back;
    calls.depth[i] -= calls.at[(depth - back) % call_log::kept][i] == to ? back : 1;
  });
  return lanes;
}

step call_relative(worker& m, const micro_op& u, u32 mask) {
  return branch(m, u, note_call(m, u, mask & m.predicate(u.q0, u.q0_flip)), u.target);
}
step call_relative_register(worker& m, const micro_op& u, u32 mask) {
  return indirect(m, u, note_call(m, u, mask & m.predicate(u.q0, u.q0_flip)), u.target);
}
step call_absolute(worker& m, const micro_op& u, u32 mask) {
  return indirect(m, u, note_call(m, u, mask & m.predicate(u.q0, u.q0_flip)),
                  static_cast<u64>(u.as<sass::distant_call>().offset));
}
step call_address(worker& m, const micro_op& u, u32 mask) {
  return branch(m, u, note_call(m, u, mask & m.predicate(u.q0, u.q0_flip)),
                static_cast<u64>(u.as<sass::distant_call>().offset));
}
step ret(worker& m, const micro_op& u, u32 mask) {
  const u64 base = u.as<sass::function_return>().absolute ? 0 : u.target;
  return indirect(m, u, note_return(m, u, mask & m.predicate(u.q0, u.q0_flip), base), base);
}
step lepc(worker& m, const micro_op& u, u32 mask) {
  const u64 target = u.target;
  map1(m.w->reg(u.d), m.w->reg(u.d), mask, [=](u32) { return static_cast<u32>(target); });
  map1(m.w->reg(u.d_high), m.w->reg(u.d_high), mask, [=](u32) { return static_cast<u32>(target >> 32); });
  return step::next;
}

step exit_lanes(worker& m, const micro_op& u, u32 mask) { return end_lanes(m, u, mask & m.predicate(u.q0, u.q0_flip)); }

// --- Convergence

// Records whether the lanes stay in the barrier when they yield.
void keep_lanes(worker& m, const micro_op& u, u32 lanes, bool stay) {
  u32& kept = m.w->kept_by_barrier[u.as<sass::barrier_register>().number];
  kept = stay ? kept | lanes : kept & ~lanes;
}
step bssy(worker& m, const micro_op& u, u32 mask) {
  u32* barrier = m.w->convergence[u.as<sass::barrier_register>().number];
  const u32 lanes = mask & m.predicate(u.q0, u.q0_flip);
  u32 all = lanes;
  if (m.w->takes_turns)  // while paths take turns, all lanes of the barrier wait for the same lanes
    for (int i = 0; i < 32; ++i) all |= barrier[i];
  each_lane(all, [&](int i) { barrier[i] = all; });
  keep_lanes(m, u, lanes, u.as<sass::barrier_register>().reconvergent);
  return step::next;
}
step bsync(worker& m, const micro_op& u, u32 mask) {
  const u32 lanes = mask & m.predicate(u.q0, u.q0_flip);
  if (lanes == 0) return step::next;
  u32* barrier = m.w->convergence[u.as<sass::barrier_register>().number];
  u32 awaited = 0, common = ~0u;
  each_lane(lanes, [&](int i) { awaited |= barrier[i], common &= barrier[i]; });
  if (awaited == common && (awaited & m.w->alive & ~lanes) == 0) {
    // the lanes enter the barrier again with their next BSSY
    each_lane(lanes, [&](int i) { barrier[i] = 0; });
    m.p->exclusive = false;
    return step::next;
  }
  const u64 pc = m.pc_of(u);
  if (lanes != m.p->mask) m.p->pc = pc + 16;
  // Lanes on one path may have executed BSSY in different calls of a function. Each lane waits only for the lanes of
  // its own BSSY.
  for (u32 rest = lanes; rest != 0;) {
    const u32 group = barrier[std::countr_zero(rest)];
    u32 same = 0;
    each_lane(rest, [&](int i) { same |= barrier[i] == group ? lane_bit[i] : 0; });
    rest &= ~same;
    path* waiting = same == m.p->mask ? m.p : &split(m, same, pc);
    waiting->pc = pc;
    waiting->state = path_state::at_bsync;
    waiting->exclusive = false;
    waiting->barrier = u.as<sass::barrier_register>().number;
    waiting->reliable = u.as<sass::barrier_register>().reliable;
  }
  release_paths(m);
  return step::moved;
}
// Removes the lanes from a convergence barrier, so that the other lanes of the barrier no longer wait for them.
step break_barrier(worker& m, const micro_op& u, u32 mask) {
  u32* barrier = m.w->convergence[u.as<sass::barrier_register>().number];
  const u32 lanes = mask & m.predicate(u.q0, u.q0_flip);
  if (lanes == 0) return step::next;
  u32 group = 0;
  each_lane(lanes, [&](int i) { group |= barrier[i]; });
  each_lane(group, [&](int i) { barrier[i] &= ~lanes; });
  m.p->pc = m.pc_of(u) + 16;
  release_paths(m);
  return step::moved;
}
// Notes what a register cannot hold of a barrier, before the lanes of `mask` copy the barrier to a register.
void save_barrier(warp& w, unsigned number, u32 mask) {
  const u32* barrier = w.convergence[number];
  for (u32 rest = mask; rest != 0;) {
    const u32 joins = barrier[std::countr_zero(rest)];
    u32 same = 0;
    each_lane(rest, [&](int i) { same |= barrier[i] == joins ? lane_bit[i] : 0; });
    rest &= ~same;
    if (w.saved_barriers.size() == saved_barrier::most) w.saved_barriers.erase(w.saved_barriers.begin());
    if (joins != 0) w.saved_barriers.push_back({joins, same, w.kept_by_barrier[number] & same});
  }
}
// Returns the lanes of `mask` that copy a barrier of BSSY.RECONVERGENT back. If a lane saved the same mask several times,
// functions have called each other, and the last copy is the first to come back.
u32 restored_lanes(warp& w, const u32* from, u32 mask) {
  u32 kept = 0;
  for (std::size_t n = w.saved_barriers.size(); n-- > 0 && mask != 0;) {
    saved_barrier& s = w.saved_barriers[n];
    u32 same = 0;
    each_lane(mask & s.lanes, [&](int i) { same |= from[i] == s.joins ? lane_bit[i] : 0; });
    kept |= s.kept & same;
    mask &= ~same;
    s.lanes &= ~same;
  }
  std::erase_if(w.saved_barriers, [](const saved_barrier& s) { return s.lanes == 0; });
  return kept;
}
step bmov_to_register(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::barrier_register>();
  if (f.number >= barrier_registers)
    return m.fail("bankwise cannot execute BMOV from a special barrier register yet", -1, missing_hint);
  u32* barrier = m.w->convergence[f.number];
  save_barrier(*m.w, f.number, mask);
  store(m.w->reg(u.d), barrier, mask);
  if (f.clears) each_lane(mask, [&](int i) { barrier[i] = 0; });
  return step::next;
}
step bmov_to_barrier(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::barrier_register>();
  if (f.number >= barrier_registers)
    return m.fail("bankwise cannot execute BMOV to a special barrier register yet", -1, missing_hint);
  const u32* from = m.operand_row(u.b, 1);
  const u32 kept = restored_lanes(*m.w, from, mask);
  store(m.w->convergence[f.number], from, mask);
  keep_lanes(m, u, mask, false);
  keep_lanes(m, u, kept, true);
  return step::next;
}
// Copies an immediate or another barrier to a barrier. On sm_87, every kernel begins with this instruction.
step bmov_immediate(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::barrier_register>();
  if (f.number >= barrier_registers)
    return m.fail("bankwise cannot execute BMOV to a special barrier register yet", -1, missing_hint);
  u32* barrier = m.w->convergence[f.number];
  map1(barrier, barrier, mask, [value = f.value](u32) { return value; });
  keep_lanes(m, u, mask, false);
  return step::next;
}
step bmov_between(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::barrier_register>();
  if (f.source >= barrier_registers)
    return m.fail("bankwise cannot execute BMOV from a special barrier register yet", -1, missing_hint);
  u32* from = m.w->convergence[f.source];
  store(m.w->convergence[f.number], from, mask);
  if (f.clears) each_lane(mask, [&](int i) { from[i] = 0; });
  // The copy also has the property of BSSY.RECONVERGENT.
  const u32 kept = m.w->kept_by_barrier[f.source] & mask;
  keep_lanes(m, u, mask, false);
  keep_lanes(m, u, kept, true);
  return step::next;
}
step warpsync(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const u64 pc = m.pc_of(u);
  const auto& f = u.as<sass::lane_gathering>();
  const u32* meets = u.op == sass::opcode::WARPSYNC_R ? m.operand_row(u.a, 0) : nullptr;
  if (mask != m.p->mask) m.p->pc = pc + 16;
  // Lanes with the same mask wait together.
  for (u32 left = mask, same = 0; left != 0; left &= ~same) {
    const u32 wanted = meets != nullptr ? meets[std::countr_zero(left)] : f.lanes;
    same = 0;
    each_lane(left, [&](int i) { same |= meets == nullptr || meets[i] == wanted ? lane_bit[i] : 0; });
    path& waiting = same != m.p->mask ? split(m, same, pc) : *m.p;
    waiting.pc = pc;
    waiting.state = path_state::at_warpsync;
    waiting.wait_mask = wanted;
    waiting.exclusive = f.exclusive;
    waiting.collective = f.collective;
    waiting.here_alone = f.here_alone;
  }
  release_paths(m);
  return step::moved;
}

// Ends the code that the lanes of a WARPSYNC.COLLECTIVE execute together. From here on, they may join other lanes.
step end_collective(worker& m, const micro_op&, u32 mask) {
  if (mask == m.p->mask) m.p->exclusive = false;
  return step::next;
}

// --- Block barriers

// The number of the barrier and the number of threads are immediates or in registers. If both numbers are in registers,
// they share one register.
step bar(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::block_barrier>();
  if (f.kind == sass::barrier_kind::scan) return m.fail("bankwise cannot execute BAR.SCAN yet", -1, missing_hint);
  const int first = std::countr_zero(mask);
  const u32 word = m.operand_row(u.b, 1)[first];
  u32 id = f.barrier, threads = f.threads;
  switch (u.op) {
    case sass::opcode::BAR_RR: id = word & 0xf, threads = word >> 16; break;
    case sass::opcode::BAR_RI: id = word; break;
    case sass::opcode::BAR_IR: threads = word; break;
    default: break;
  }
  if (f.all) threads = 0;
  if (id >= block_barriers)
    return m.fail(formatted("barrier {} does not exist, because a block has {} barriers", id, block_barriers), first);
  if (threads % 32 != 0 || threads > 1024)
    return m.fail(
        formatted("uses a barrier for {} threads, but the number of threads must be a multiple of 32 and at most 1024",
                  threads),
        first);
  // If `threads` is 0, threads that have ended count as arrived. Barriers for all threads of the block need this.
  if (threads == (m.s->threads + 31) / 32 * 32) threads = 0;
  block_barrier& b = m.block->barriers[id];
  if (f.kind == sass::barrier_kind::reduce) {
    const u32 lanes = mask & m.predicate(u.q0, u.q0_flip);
    b.reduction = f.reduction;
    b.true_count += static_cast<u32>(std::popcount(lanes));
    b.predicates += static_cast<u32>(std::popcount(mask));
  }
  // Lanes whose guard is false also arrive and wait.
  return arrive(m, u, m.p->mask, id, threads, f.kind != sass::barrier_kind::arrive);
}
// Reads the result of the barrier's last reduction.
step b2r(worker& m, const micro_op& u, u32 mask) {
  if (u.as<sass::barrier_result>().what != sass::barrier_report::reduction)
    return m.fail("bankwise cannot execute B2R of a barrier's state yet", -1, missing_hint);
  const u32 count = m.w->bar_count;
  map1(m.w->reg(u.d), m.w->reg(u.d), mask, [=](u32) { return count; });
  m.set_predicate(u.p0, m.w->bar_flag ? all_lanes : 0, mask);
  return step::next;
}

// --- Special registers

using namespace sass::special_number;

// Without a block_clock, the clock counts the instructions of the block. The block's sum does not yet contain the
// instructions of the current turn.
u64 counted_clock(const worker& m) { return m.block->sum.warp_instructions + m.turn_instructions; }
block_clock::time time_of(const worker& m) {
  return m.clock != nullptr ? m.clock->now() : block_clock::time{counted_clock(m), counted_clock(m)};
}

// The number of the multiprocessor that runs the block. This number must be less than the number of multiprocessors,
// because programs use it as an index. For example, CUTLASS uses it to select the tensor maps of grouped products.
u32 multiprocessor_of(const worker& m) {
  return static_cast<u32>(m.block->linear % cubin::multiprocessors_of(m.s->l->program->sm));
}

// Reads a special register that differs between lanes. Returns false if `number` is not such a register.
bool special_row(const worker& m, unsigned number, u32* r) {
  const thread_rows& index = m.s->thread_index[m.w->id];
  const auto each = [&](auto f) {
    for (u32 i = 0; i < 32; ++i) r[i] = f(i);
    return true;
  };
  switch (number) {
    case sr_laneid: return each([](u32 i) { return i; });
    case sr_tid_x: return each([&](u32 i) { return index.x.at[i]; });
    case sr_tid_y: return each([&](u32 i) { return index.y.at[i]; });
    case sr_tid_z: return each([&](u32 i) { return index.z.at[i]; });
    case sr_tid: return each([&](u32 i) { return index.x.at[i] | index.y.at[i] << 16 | index.z.at[i] << 26; });
    case sr_eqmask: return each([](u32 i) { return 1u << i; });
    case sr_ltmask: return each([](u32 i) { return (1u << i) - 1; });
    case sr_lemask: return each([](u32 i) { return (2u << i) - 1; });
    case sr_gtmask: return each([](u32 i) { return ~((2u << i) - 1); });
    case sr_gemask: return each([](u32 i) { return ~((1u << i) - 1); });
    default: return false;
  }
}

// Reads a special register with the same value in all lanes. Returns false if the emulator does not support the
// register.
bool special(const worker& m, unsigned number, u32& value) {
  switch (number) {
    case sr_ctaid_x: value = m.block->index[0]; return true;
    case sr_ctaid_y: value = m.block->index[1]; return true;
    case sr_ctaid_z: value = m.block->index[2]; return true;
    case sr_swinhi: value = static_cast<u32>(shared_window >> 32); return true;
    case sr_swinlo: value = static_cast<u32>(shared_window); return true;
    case sr_lwinhi: value = static_cast<u32>(local_window >> 32); return true;
    case sr_lwinlo: value = static_cast<u32>(local_window); return true;
    // The lowest offset that the stack may reach. Code compiled with nvcc -G checks this limit. In bankwise, the stack
    // ends at offset 0 of local memory.
    case sr_lmemhioff: value = 0; return true;
    case sr_smemsz: value = m.s->shared_bytes - m.s->l->kernel->reserved_shared_bytes; return true;
    case sr_virtcfg: value = 64u << 8; return true;
    // The warp's slot and multiprocessor. In bankwise, the slot is the number of the warp. Blocks are assigned to
    // multiprocessors in turn.
    case sr_virtid: value = m.w->id << 8 | multiprocessor_of(m) << 20; return true;
    case sr_virtualsmid: value = multiprocessor_of(m); return true;
    case sr_clock:
    case sr_clocklo: value = static_cast<u32>(time_of(m).clocks); return true;
    case sr_clockhi: value = static_cast<u32>(time_of(m).clocks >> 32); return true;
    case sr_globaltimerlo: value = static_cast<u32>(time_of(m).nanoseconds); return true;
    case sr_globaltimerhi: value = static_cast<u32>(time_of(m).nanoseconds >> 32); return true;
    case sr_cgactaid: value = m.block->rank; return true;
    case sr_constants: value = 0; return true;
    case sr_zero: value = 0; return true;
    default: value = 0; return number >= sr_first_pm && number <= sr_last_pm;
  }
}

bool read_special(const worker& m, unsigned number, u32* r) {
  if (special_row(m, number, r)) return true;
  u32 value = 0;
  const bool known = special(m, number, value);
  for (int i = 0; i < 32; ++i) r[i] = value;
  return known;
}

step unknown_special(worker& m, unsigned number) {
  return m.fail(
      formatted("bankwise does not emulate the special register {}", number), -1,
      "the README lists what bankwise cannot execute yet. If this register is not in the list, please send this line "
      "and the cubin to the project");
}

// Must be called before a special register is read. The clock then knows the time of this instruction. Warps read their
// clocks after all others have come to a barrier or to their own clocks, so that it is known how many run at once.
step note_time(worker& m, const micro_op& u, unsigned number) {
  m.turn_instructions = (m.pc_of(u) - m.p->pc) / 16;
  if (m.clock == nullptr || !sass::tells_clock(number)) return step::next;
  if (m.reads_in_turn && m.w->paths.size() == 1 && m.clock->lets_others_first()) {
    m.gives_way = true;
    return step::again;
  }
  const auto runs = [](const warp& w) {
    return w.alive != 0 &&
           std::any_of(w.paths.begin(), w.paths.end(), [](const path& p) { return p.state == path_state::ready; });
  };
  const auto warps = std::count_if(m.block->warps.begin(), m.block->warps.end(), runs);
  m.clock->read(m.p->pc, m.pc_of(u), static_cast<u32>(warps));
  return step::next;
}

step s2r(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::special_register_read>();
  if (const step s = note_time(m, u, f.number); s != step::next) return s;
  alignas(64) u32 r[32];
  if (!read_special(m, f.number, r)) return unknown_special(m, f.number);
  store(m.w->reg(u.d), r, mask);
  return step::next;
}
step cs2r(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::special_register_read>();
  alignas(64) u32 low[32];
  u32 high = 0;
  if (const step s = note_time(m, u, f.number); s != step::next) return s;
  if (!read_special(m, f.number, low)) return unknown_special(m, f.number);
  if (f.number == sr_clocklo || f.number == sr_globaltimerlo) special(m, f.number + 1u, high);
  store(m.w->reg(u.d), low, mask);
  if (f.pair) map1(m.w->reg(u.d_high), m.w->reg(u.d_high), mask, [=](u32) { return high; });
  return step::next;
}
step s2ur(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::special_register_read>();
  if (mask == 0) return step::next;
  if (const step s = note_time(m, u, f.number); s != step::next) return s;
  alignas(64) u32 r[32];
  if (!read_special(m, f.number, r)) return unknown_special(m, f.number);
  m.set_uniform(u.uniform_d, r[std::countr_zero(m.p->mask)]);
  return step::next;
}

step pass(worker&, const micro_op&, u32) { return step::next; }
step yield(worker& m, const micro_op& u, u32 mask) { return yield_lanes(m, u, mask); }
// Sleeps as long as the lane that sleeps longest. With .SYNCS, the warp only waits for its mbarrier.
step sleep(worker& m, const micro_op& u, u32 mask) {
  constexpr unsigned syncs_bit = 84;
  if (const sass::instruction i = m.section->instruction_at(u.index); m.each != nullptr && !i.bit(syncs_bit)) {
    auto longest = static_cast<u32>(i.bits(sass::slot::b, 32));
    if (u.op == sass::opcode::NANOSLEEP_R) {
      const u32* const wanted = m.w->reg(static_cast<unsigned>(i.bits(sass::slot::b, 8)));
      longest = 0;
      each_lane(mask, [&](int lane) { longest = std::max(longest, wanted[lane]); });
    }
    if (mask != 0) m.each->on_sleep(m.pc_of(u), longest);
  }
  return yield_lanes(m, u, mask);
}
step trap(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  if (const guardrail* const g = guardrail_at(*m.s->l->program, m.pc_of(u)))
    return m.fail(fault_kind::trap, g->message, std::countr_zero(mask), g->help);
  return m.fail(fault_kind::trap, "the kernel executed a trap", std::countr_zero(mask),
                "the kernel called __trap(), or called grid.sync() without a cooperative launch");
}

// Controls a cache. Only a prefetch matters, and only for the time of the launch.
step cctl(worker& m, const micro_op& u, u32 mask) {
  const auto* const f = std::get_if<sass::line_prefetch>(&u.fields);
  if (f == nullptr || m.copied == nullptr) return step::next;
  constexpr u64 line = 128;
  const u64 uniform = f->uniform ? join(uniform_word(m, *f->uniform), uniform_word(m, *f->uniform, 1)) : 0;
  const u32* const low = data_row(m, f->base);
  const u32* const high = f->is_wide && !f->uniform ? data_row(m, f->base, 1) : nullptr;
  each_lane(mask, [&](int i) {
    const u64 address = join(low[i], high != nullptr ? high[i] : 0) + uniform + static_cast<u64>(i64{f->offset});
    m.copied->on_copied({address / line * line, line, m.pc_of(u), f->to_l1});
  });
  return step::next;
}

}  // namespace

void add_control(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::BRA, bra);
  set(op::BRA_U, bra);
  set(op::BRX, brx);
  set(op::BRXU, brx);
  set(op::CALL_REL, call_relative);
  set(op::CALL_REL_R, call_relative_register);
  set(op::CALL_ABS_R, call_absolute);
  set(op::CALL_ABS, call_address);
  set(op::RET, ret);
  set(op::LEPC, lepc);
  set(op::EXIT, exit_lanes);
  set(op::BSSY, bssy);
  set(op::BSYNC, bsync);
  set(op::BREAK, break_barrier);
  set(op::BMOV_R, bmov_to_register);
  set(op::BMOV_B, bmov_to_barrier);
  set(op::BMOV_I, bmov_immediate);
  set(op::BMOV_BB, bmov_between);
  set(op::WARPSYNC_R, warpsync);
  set(op::WARPSYNC_I, warpsync);
  for (const op o : {op::BAR_RR, op::BAR_RI, op::BAR_IR, op::BAR_II}) set(o, bar);
  set(op::B2R, b2r);
  set(op::S2R, s2r);
  set(op::CS2R, cs2r);
  set(op::S2UR, s2ur);
  // These instructions order accesses, control caches or schedule warps. The emulator has no caches, and completes each
  // instruction before the next instruction. So these instructions do nothing here.
  for (const op o : {op::NOP, op::PMTRIG, op::DEPBAR, op::LDGDEPBAR, op::PREEXIT, op::ACQBULK, op::CGAERRBAR,
                     op::ERRBAR, op::MEMBAR, op::FENCE, op::CCTL_LDCU})
    set(o, pass);
  set(op::ENDCOLLECTIVE, end_collective);
  set(op::CCTL, cctl);
  set(op::YIELD, yield);
  for (const op o : {op::NANOSLEEP_R, op::NANOSLEEP_I}) set(o, sleep);
  set(op::BPT, trap);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
