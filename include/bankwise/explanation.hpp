// The cost of an instruction, and the reasons for the cost: the phases of the instruction, and the lanes that wait for
// other lanes of the same phase.
//
//     const explanation e = explain(a);                  float tile[32][32], a column: lane t reads address t * 128
//
//     e.total.wavefronts                           32
//     e.phase_at[0]                                one phase: all lanes, 32 wavefronts, 32 words
//     e.want_at[7]                                 lane 7 wants word 224 of bank 0, which serves it in wavefront 7
//     removable(e)                                 31: padding can save all wavefronts but one
#pragma once

#include "bankwise/cost.hpp"
#include "bankwise/one_broadcast.hpp"
#include "bankwise/want.hpp"

namespace bankwise {

// A phase: lanes that are served together, and the cost of serving them.
struct phase {
  u32 lanes;       // mask of the active lanes in this phase
  u32 wavefronts;  // number of wavefronts
  u32 words;       // number of distinct words
  u16 first_want;  // index of the phase's first entry in want_at
  u16 wants;       // number of the phase's entries in want_at
};

// The largest number of phases of an access on any machine.
inline constexpr u32 most_phases = 16;

// The cost of an instruction, and the reasons for the cost. An object of this type has about 8 KiB.
struct explanation {
  cost total;
  // The largest number of lanes that wait for the same word, because they cannot share a wavefront (atomics, cp.async).
  u32 same_word;
  u32 layout_floor;  // fewest wavefronts of any layout: `reachable`, or more if lanes wait for the same word
  u32 phases;
  phase phase_at[most_phases];
  u32 wants;
  want want_at[most_wants];  // the wants of all phases, sorted by phase, lane and word
};

// These two functions separate the wavefronts above `reachable` by reason. A padding or a swizzle can save the
// removable() wavefronts. No layout can save the queued() wavefronts, because several lanes wait for the same word.
BANKWISE_HD constexpr u32 removable(const explanation& e) { return e.total.wavefronts - e.layout_floor; }
BANKWISE_HD constexpr u32 queued(const explanation& e) { return e.layout_floor - e.total.reachable; }

namespace detail {

// Computes the wants of a phase, and the cost of the phase.
struct explain_phase {
  const access& a;
  const bank_model& m;
  word_list& list;
  explanation& e;

  BANKWISE_HD constexpr void operator()(u32, u32 lanes) const {
    const u32 width = a.op.width_bytes;
    const u32 part = m.split_bytes != 0 && width > m.split_bytes ? m.split_bytes : width;
    for (u32 offset = 0; offset < width; offset += part) add(lanes, offset, part);
  }

  BANKWISE_HD constexpr void add(u32 lanes, u32 offset, u32 bytes) const {
    const bool share = shares_words(a.op.kind);
    const u32 begin = list.count;
    list.add(m, a.address, lanes, offset, bytes, share, static_cast<u8>(e.phases));
    const u32 count = list.count - begin;
    want* first = list.at + begin;
    u32 turns = take_turns(m, first, count, share);
    const serving served = a.op.width_bytes > 8 ? m.wide : m.narrow;
    if (served == serving::one_broadcast) turns = one_broadcast_steps(first, count, m.banks);
    u32 longest = 0;
    for (u32 i = 0; i < count && !share; ++i) {
      u32 queue = 0;
      for (u32 j = 0; j < count; ++j) queue += first[j].word == first[i].word;
      longest = larger(longest, queue);
    }
    e.same_word = larger(e.same_word, longest);
    if (served == serving::one_broadcast) schedule_one_broadcast(list, begin, turns, m.banks);
    e.phase_at[e.phases++] = {lanes, turns, count, static_cast<u16>(begin), static_cast<u16>(list.count - begin)};
    e.total.wavefronts =
        served == serving::quarters_plus_one ? larger(e.total.wavefronts, turns + 1) : e.total.wavefronts + turns;
    const u32 enough = passes_for(count * m.bank_bytes, m);
    e.total.reachable += enough;
    e.layout_floor += larger(enough, longest);
  }
};

// Explains an operation whose cost depends only on banks. Do not call it for cas_spin, or for copies with a source.
BANKWISE_HD constexpr explanation explain_banks(const access& a, const bank_model& m) {
  explanation e = {};
  if (lanes_used(a) == 0) return e;
  word_list list;
  e.total.merged = bankwise::merge_of(a, m);
  each_phase(a, m, e.total.merged, explain_phase{a, m, list, e});
  e.wants = list.count;
  for (u32 i = 0; i < list.count; ++i) e.want_at[i] = list.at[i];
  finish(e.total, a, bytes_a_pass(m), m.clocks_per_wavefront);
  if (a.op.kind == op_kind::compare_and_swap) e.layout_floor *= 2;
  e.layout_floor = smaller(e.layout_floor, e.total.wavefronts);
  return e;
}

}  // namespace detail
}  // namespace bankwise
