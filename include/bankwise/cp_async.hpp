// cp.async: a copy from global to shared memory, whose cost depends on its source addresses and its destination
// addresses.
//
// For .ca, the rule uses each source address modulo 128. It assumes that the sources are in L1. A line that arrives
// from L2 at the same time can add a wavefront.
//
//     to      0   4   8  12  ..      every lane has its own bank: one wavefront if the source is contiguous
//     from    0 128 256 384  ..      every lane needs the first bank of a line in L1
//     waits   -   1   2   3  ..  31  each lane waits for all lanes before it: 32 wavefronts
//
// For .cg, cp_async_cg.hpp contains the rule. If some lanes of a .cg copy write zeros, the cost of the copy is a sum of
// two costs. The first cost is that of the lanes that read, by the rule of .cg. The second cost is that of all lanes,
// by the rule of .ca.
//
// The hardware counter of the shared-memory pipe does not count .cg, so `cycles` contains only the clocks for issuing
// the instruction. No layout of the destination saves cycles, so `reachable` equals `wavefronts`. Use source_floor()
// for the fewest wavefronts.
#pragma once

#include "bankwise/bank_cost.hpp"
#include "bankwise/cp_async_cg.hpp"

namespace bankwise {

// Returns the default source of a copy. Its addresses are contiguous in the order of the lanes, and the first address
// is a multiple of 128.
BANKWISE_HD constexpr copy_source contiguous_source() {
  copy_source from = {};
  for (u32 i = 0; i < lanes_per_warp; ++i) from.address[i] = i * piece_bytes;
  return from;
}

// Whether a .cg copy also has the cost of a .ca copy. This is the case if a lane writes zeros, or if the instruction
// can write zeros.
BANKWISE_HD constexpr bool fills(const access& a, const copy_source& from) {
  return from.may_fill || (a.mask & ~from.reads) != 0;
}

namespace detail {

// Whether two accesses of the same width share a bank.
BANKWISE_HD constexpr bool shares_a_bank(u32 a, u32 b, u32 width_bytes, const bank_model& m) {
  const u32 words = divide_up(width_bytes, m.bank_bytes);
  const u32 x = a / m.bank_bytes % m.banks, y = b / m.bank_bytes % m.banks;
  return (x + m.banks - y) % m.banks < words || (y + m.banks - x) % m.banks < words;
}

// Whether the sources of two lanes share a bank. If `to` is set, also whether their destinations share a bank.
BANKWISE_HD constexpr bool lanes_meet(const access& a, const copy_source& from, u32 i, u32 j, bool to,
                                      const bank_model& m) {
  const u32 width = a.op.width_bytes;
  return (to && shares_a_bank(a.address[i], a.address[j], width, m)) ||
         (has_lane(from.reads, i) && has_lane(from.reads, j) &&
          shares_a_bank(from.address[i], from.address[j], width, m));
}

// Sets turn[lane] to the lane's wavefront in its phase, counted from 1, or to 0 if the lane is inactive. Returns the
// number of wavefronts of .ca. If `to` is set, lanes also wait for lanes with the same destination bank.
BANKWISE_HD constexpr u32 ca_turns(const access& a, const copy_source& from, const bank_model& m, bool to,
                                   u8 (&turn)[lanes_per_warp]) {
  const u32 size = phase_lanes(a, m);
  u32 sum = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u32 longest = 0;
    for (u32 i = first; i < first + size; ++i) {
      if (!has_lane(a.mask, i)) continue;
      u32 after = 0;
      for (u32 j = first; j < i; ++j) {
        if (!has_lane(a.mask, j) || turn[j] <= after) continue;
        if (lanes_meet(a, from, i, j, to, m)) after = turn[j];
      }
      turn[i] = static_cast<u8>(after + 1);
      longest = larger(longest, after + 1);
    }
    sum += longest;
  }
  return sum;
}

BANKWISE_HD constexpr u32 trips_of(u32 lanes, const access& a, const bank_model& m) {
  return passes_for(count_lanes(lanes) * a.op.width_bytes, m);
}

BANKWISE_HD constexpr u32 moving_lanes(const access& a, const copy_source& from) {
  return moving_lanes(a.mask, from.reads, a.address);
}

// Returns the wavefronts that the bytes of a .cg copy need if each wavefront has the full width of the pipe. If the
// copy also has the cost of .ca, the bytes of all active lanes are added.
BANKWISE_HD constexpr u32 cg_trips(const access& a, const copy_source& from, const bank_model& m) {
  return trips_of(writing_lanes(moving_lanes(a, from), a.address), a, m) +
         (fills(a, from) ? trips_of(a.mask, a, m) : 0);
}

// Returns the cost of .cg. `turn` gets the result of cg_turns().
BANKWISE_HD constexpr cost cg_cost(const access& a, const copy_source& from, const bank_model& m,
                                   u8 (&turn)[lanes_per_warp]) {
  cost c = {};
  c.wavefronts = cg_turns(moving_lanes(a, from), a.address, from.address, turn);
  if (fills(a, from)) {
    u8 also[lanes_per_warp] = {};
    c.wavefronts += ca_turns(a, from, m, true, also);
  }
  c.ideal = smaller(c.wavefronts, cg_trips(a, from, m));
  c.reachable = c.wavefronts;
  c.passes = 1;
  c.cycles = m.clocks_per_wavefront;
  return c;
}

}  // namespace detail

// Returns the fewest wavefronts that a copy from these sources needs with any destinations. Returns 0 if the
// instruction is not a copy.
BANKWISE_HD constexpr u32 source_floor(const access& a, const copy_source& from,
                                       const bank_model& m = maxwell_model()) {
  u8 turn[lanes_per_warp] = {};
  if (a.op.kind == op_kind::copy_async) return detail::ca_turns(a, from, m, false, turn);
  if (a.op.kind != op_kind::copy_async_cg) return 0;
  return detail::cg_floor(detail::moving_lanes(a, from), a.address, from.address) +
         (fills(a, from) ? detail::ca_turns(a, from, m, false, turn) : 0);
}

namespace detail {

// Returns the cost of a copy. analyze() calls this function.
BANKWISE_HD constexpr cost cost_of_copy(const access& a, const copy_source& from, const bank_model& m) {
  u8 turn[lanes_per_warp] = {};
  if (a.mask == 0) return {};
  if (a.op.kind == op_kind::copy_async_cg) return cg_cost(a, from, m, turn);
  cost c = cost_of_banks(a, m);
  c.wavefronts = ca_turns(a, from, m, true, turn);
  c.ideal = smaller(c.wavefronts, trips_of(a.mask, a, m));
  c.cycles = larger(c.wavefronts, c.passes) * m.clocks_per_wavefront;
  return c;
}

// Explains a copy. For .cg, one phase of the explanation contains all lanes that read.
BANKWISE_HD constexpr explanation explain_copy(const access& a, const copy_source& from, const bank_model& m) {
  explanation e = {};
  if (a.mask == 0) return e;
  u8 turn[lanes_per_warp] = {};
  if (a.op.kind == op_kind::copy_async_cg) {
    e.total = cg_cost(a, from, m, turn);
    e.layout_floor = e.total.reachable;
    const u32 reading = moving_lanes(a, from);
    if (reading == 0) return e;
    word_list list;
    list.add(m, a.address, reading, 0, a.op.width_bytes, true, 0);
    e.phases = 1;
    e.phase_at[0] = {reading, 0, list.count, 0, static_cast<u16>(list.count)};
    e.wants = list.count;
    for (u32 i = 0; i < list.count; ++i) e.want_at[i] = list.at[i];
  } else {
    e = explain_banks(a, m);
    e.total = cost_of_copy(a, from, m);
    e.layout_floor = larger(e.layout_floor, source_floor(a, from, m));
    ca_turns(a, from, m, true, turn);
    for (u32 p = 0; p < e.phases; ++p) e.phase_at[p].wavefronts = 0;
  }
  for (u32 i = 0; i < e.wants; ++i) {
    want& w = e.want_at[i];  // of the lanes that write this word, only the lowest lane matters
    u32 lane = 0;
    while (!has_lane(w.lanes, lane)) ++lane;
    w.turn = static_cast<u16>(turn[lane] - 1u);
    phase& p = e.phase_at[w.phase];
    p.wavefronts = larger(p.wavefronts, turn[lane]);
  }
  return e;
}

}  // namespace detail
}  // namespace bankwise
