// What one warp instruction on shared memory costs, and why. This file is the rule.
//
// A wide load, lane t reading float4 number t of a tile:
//
//     ld.b128     lanes 0-7      lanes 8-15     lanes 16-23    lanes 24-31        four phases (quarter-warps)
//     words       0..31          32..63         64..95         96..127
//     banks       0..31          0..31          0..31          0..31              every bank once a phase
//     wavefronts  1           +  1           +  1           +  1           = 4
//
// and lane t reading float4 number t / 2: lanes 2k and 2k+1 want the same address, so neighbouring phases merge:
//
//     ld.b128     lanes 0-15                    lanes 16-31                       two merged phases
//     words       0..31                         32..63
//     wavefronts  1                          +  1                          = 2
//
// The rule, measured on an H200 (sm_90) and equal to the hardware counter on every pattern of data/sm_90:
//   1. Accesses up to 32 bits are one phase, 64 bits two half-warps, 128 bits four quarter-warps. A phase takes as
//      many wavefronts as its fullest bank has distinct words; the instruction takes the sum.
//   2. Loads only, and not through a generic pointer: if every active lane's partner i^1 is inactive or has the same address, or the same holds for
//      i^2 (each for the whole warp), neighbouring phases merge once: 64-bit 2 to 1, 128-bit 4 to 2.
//   3. ldmatrix and stmatrix: one phase of eight 16-byte rows a matrix; they never merge.
//   4. Atomics: lanes on one word do not share, they take turns; compare-and-swap takes every turn twice.
//      The increment that counts lanes (ATOMS.POPC.INC) does share.
//   5. cp.async.ca: within a phase a lane waits for every earlier lane that shares a bank with it, of its destination or of
//      its source as it lies in L1; lanes on one word do not share. From a contiguous source: as stores that do not share.
//   6. cp.async.cg moves pieces of lines: cp_async_cg.hpp.
#pragma once

#include "bankwise/access.hpp"
#include "bankwise/arch.hpp"
#include "bankwise/cp_async_cg.hpp"

namespace bankwise {

// Why neighbouring phases of a wide load are served as one, if they are.
enum class merge : u8 {
  none,       // every phase is served alone
  partner_1,  // every lane's partner i^1 is inactive or wants the same address
  partner_2,  // the same with i^2
};

// What an instruction costs. Wavefronts and passes are counted for one execution by one warp, cycles in clocks of the
// multiprocessor's shared pipe.
struct cost {
  u32 wavefronts;  // passes of the data pipe: what the hardware counter has
  u32 ideal;       // Nsight Compute's "ideal": the bytes asked for over the width of the pipe, at most `wavefronts`
  u32 reachable;   // the fewest wavefronts that any placement of the same words could give
  u32 passes;      // register-file passes: a minimum of the cycles
  u32 cycles;      // clocks of a saturated pipe
  merge merged;
};

// Nsight Compute's excess, in wavefronts.
BANKWISE_HD constexpr u32 excess(const cost& c) { return c.wavefronts - c.ideal; }

// One entry of the explanation: lanes of one phase that want one word of one bank.
struct want {
  u32 word;   // address / bank_bytes
  u32 lanes;  // a mask: those that want it and share it
  u16 bank;
  u16 turn;  // the wavefront, counted within the phase, that serves it
  u8 phase;
};

// Lanes that are served together, and what that takes.
struct phase {
  u32 lanes;       // a mask: active lanes served in this phase
  u32 wavefronts;  // passes
  u32 words;       // distinct words
  u16 first_want;  // of this phase, in want_at
  u16 wants;       // how many
};

// The longest explanation that any access on any machine has.
inline constexpr u32 most_phases = 16;
inline constexpr u32 most_wants = 512;  // 32 lanes of 16 bytes on a machine with one-byte banks

// The cost of an instruction, and every reason for it. Some 8 KiB large.
struct explanation {
  cost total;
  u32 same_word;     // the longest queue of lanes on one word that cannot share it (atomics, cp.async)
  u32 layout_floor;  // the fewest wavefronts that a layout can reach: `reachable`, or more where lanes queue for a word
  u32 phases;
  phase phase_at[most_phases];
  u32 wants;
  want want_at[most_wants];  // by phase, then by lane, then by word
};

// Why there are more wavefronts than `reachable`: those that a padding or a swizzle can win, and those of lanes that queue for
// one word, which no layout changes.
BANKWISE_HD constexpr u32 removable(const explanation& e) { return e.total.wavefronts - e.layout_floor; }
BANKWISE_HD constexpr u32 queued(const explanation& e) { return e.layout_floor - e.total.reachable; }

// Whether loads of this shape merge, and by which partner. merge::none for everything but wide loads.
BANKWISE_HD constexpr merge merge_of(const access& a, const bank_model& m = maxwell_model());

// The cost of one instruction. `a.op` must be valid() and every address a multiple of the width where hardware asks
// for it; misaligned addresses are answered word by word. No active lane: everything is zero.
BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr u32 wavefronts(const access& a, const bank_model& m = maxwell_model()) {
  return analyze(a, m).wavefronts;
}
// The same of a copy. Without a source, every lane reads what follows the lane before it, from the beginning of a line.
//
// .ca, of whose sources only the value modulo 128 counts. They are taken to be in L1 already; a line that comes from L2
// meanwhile may add a wavefront.
//
//     to      0   4   8  12  ..      every lane a bank of its own: one wavefront from a contiguous source
//     from    0 128 256 384  ..      lines of L1, of which all lanes want the first bank
//     waits   -   1   2   3  ..  31  each lane for all before it: 32 wavefronts
//
// .cg: see cp_async_cg.hpp. A copy of which some lanes write zeros takes both, what its reading lanes take by .cg and what all
// its lanes take by .ca. The counter of the pipe does not see .cg at all: `cycles` has its issue alone, and no layout wins
// anything there, so that `reachable` is `wavefronts`; source_floor() has the fewest.
BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from,
                                          const bank_model& m = maxwell_model());
// The fewest wavefronts that these sources leave, wherever the copy goes to.
BANKWISE_HD constexpr u32 source_floor(const access& a, const copy_source& from, const bank_model& m = maxwell_model());
// The lanes that the instruction serves: all that reach the banks, but for cas_spin the lowest lane of each bank.
BANKWISE_HD constexpr u32 lanes_served(const access& a, const bank_model& m = maxwell_model());
// The fewest wavefronts that a layout can reach: `reachable`, or more where lanes that cannot share queue for one word.
BANKWISE_HD constexpr u32 layout_floor(const access& a, const bank_model& m = maxwell_model());
// What analyze() answers, with every phase, bank, word and lane spelled out.
BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m = maxwell_model());

// --- the rule itself ------------------------------------------------------------------------------------------------

namespace detail {

BANKWISE_HD constexpr u32 count_bits(u32 x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
BANKWISE_HD constexpr u32 divide_up(u32 a, u32 b) { return (a + b - 1) / b; }
BANKWISE_HD constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }
BANKWISE_HD constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
BANKWISE_HD constexpr bool is_matrix(op_kind k) { return k == op_kind::ldmatrix || k == op_kind::stmatrix; }
// Lanes that want one word share the pass that fetches it.
BANKWISE_HD constexpr bool shares(op_kind k) {
  return k != op_kind::atomic && k != op_kind::compare_and_swap && k != op_kind::copy_async;
}
BANKWISE_HD constexpr u32 width_class(u32 width_bytes) { return width_bytes <= 4 ? 0 : width_bytes == 8 ? 1 : 2; }

BANKWISE_HD constexpr u32 phase_lanes(const access& a, const bank_model& m) {
  return is_matrix(a.op.kind) ? 8 : m.phase_lanes[width_class(a.op.width_bytes)];
}

BANKWISE_HD constexpr u32 lane_range(u32 first, u32 count) {
  return (count >= lanes_per_warp ? full_mask : (1u << count) - 1u) << first;
}

// All ones for active lanes, zero for the others: masks as data, so that loops over lanes have no branches.
struct lane_masks {
  u32 at[lanes_per_warp] = {};

  BANKWISE_HD constexpr explicit lane_masks(u32 mask) {
    constexpr u32 bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (u32 i = 0; i < lanes_per_warp; i += 8)
      for (u32 j = 0; j < 8; ++j) at[i + j] = (mask >> i & bit[j]) != 0 ? full_mask : 0;
  }
};

BANKWISE_HD constexpr merge merge_of(const access& a, const bank_model& m, const lane_masks& on) {
  if (!m.merges_loads || a.op.kind != op_kind::load || a.op.width_bytes <= 4 || a.op.generic) return merge::none;
  const u32 *x = a.address, *o = on.at;
  u32 differ_1 = 0, differ_2 = 0;  // any pair of active partners with different addresses
  for (u32 i = 0; i < lanes_per_warp; i += 4) {
    differ_1 |= ((x[i] ^ x[i + 1]) & o[i] & o[i + 1]) | ((x[i + 2] ^ x[i + 3]) & o[i + 2] & o[i + 3]);
    differ_2 |= ((x[i] ^ x[i + 2]) & o[i] & o[i + 2]) | ((x[i + 1] ^ x[i + 3]) & o[i + 1] & o[i + 3]);
  }
  return differ_1 == 0 ? merge::partner_1 : differ_2 == 0 ? merge::partner_2 : merge::none;
}

// Any machine, word by word. `offset` and `bytes` choose the part of each lane's access that is served.
struct word_list {
  u32 count = 0;
  want at[most_wants] = {};

  BANKWISE_HD constexpr void add(const bank_model& m, const u32* address, u32 lanes, u32 offset, u32 bytes, bool share,
                                 u8 phase_index) {
    const u32 begin = count;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      const u32 begin_byte = address[lane] + offset, end_byte = begin_byte + bytes - 1;
      const u32 first = begin_byte / m.bank_bytes;
      const u32 last = (end_byte < begin_byte ? 0xffffffffu : end_byte) / m.bank_bytes;  // no wrapping around
      for (u32 n = 0; n <= last - first && count < most_wants; ++n) {
        const u32 word = first + n;
        u32 i = begin;
        if (share)
          while (i < count && at[i].word != word) ++i;
        else
          i = count;
        if (i == count) at[count++] = {word, 0, static_cast<u16>(word % m.banks), 0, phase_index};
        at[i].lanes |= 1u << lane;
      }
    }
  }
};

// Gives each want of a phase its turn: a new row of a bank waits for the rows before it. Returns the turns taken.
BANKWISE_HD constexpr u32 take_turns(const bank_model& m, want* first, u32 count, bool share) {
  u32 worst = 0;
  for (u32 i = 0; i < count; ++i) {
    const u64 row = static_cast<u64>(first[i].word) * m.bank_bytes / (static_cast<u64>(m.banks) * m.row_bytes);
    u32 turn = 0;
    bool served = false;
    for (u32 j = 0; j < i && !served; ++j) {
      if (first[j].bank != first[i].bank) continue;
      const u64 other = static_cast<u64>(first[j].word) * m.bank_bytes / (static_cast<u64>(m.banks) * m.row_bytes);
      if (share && other == row) {
        turn = first[j].turn;
        served = true;
      } else {
        turn = larger(turn, first[j].turn + 1u);
      }
    }
    first[i].turn = static_cast<u16>(turn);
    worst = larger(worst, turn + 1);
  }
  return worst;
}

// Compute capability 1.x. A step serves all lanes of one word (the broadcast) and one lane of every other bank. The
// hardware does not say which word it takes; these are the fewest steps that any choice needs.
//
// The words of one bank that must be broadcast if there are `steps` steps in all: the fullest, until one lane a step is
// enough for the rest. Bit i of `taken` is word i; more words than `steps`: it cannot be done.
BANKWISE_HD constexpr u32 broadcasts_of_bank(const want* first, u32 count, u32 bank, u32 steps, u64 (&taken)[8]) {
  u32 served = steps, lanes = 0, broadcasts = 0;
  for (u32 i = 0; i < count; ++i)
    if (first[i].bank == bank) lanes += count_bits(first[i].lanes);
  while (served < lanes) {
    u32 best = count;
    for (u32 i = 0; i < count; ++i)
      if (first[i].bank == bank && (taken[i / 64] >> (i % 64) & 1u) == 0 &&
          (best == count || count_bits(first[i].lanes) > count_bits(first[best].lanes)))
        best = i;
    if (best == count) return steps + 1;
    taken[best / 64] |= u64{1} << (best % 64);
    served += count_bits(first[best].lanes) - 1;
    ++broadcasts;
  }
  return broadcasts;
}

BANKWISE_HD constexpr u32 one_broadcast_steps(const want* first, u32 count, u32 banks) {
  if (count == 0) return 0;
  for (u32 steps = 1;; ++steps) {
    u32 broadcasts = 0;
    for (u32 bank = 0; bank < banks; ++bank) {
      u64 taken[8] = {};
      broadcasts += broadcasts_of_bank(first, count, bank, steps, taken);
    }
    if (broadcasts <= steps) return steps;
  }
}

// Gives the wants that begin at `begin` their turns in so many steps: broadcast words one a step, the lanes of the others
// one a step and bank, each as a want of its own.
BANKWISE_HD constexpr void schedule_one_broadcast(word_list& list, u32 begin, u32 steps, u32 banks) {
  const u32 count = list.count - begin;
  want wants[most_wants] = {};
  for (u32 i = 0; i < count; ++i) wants[i] = list.at[begin + i];
  list.count = begin;
  u32 broadcast = 0;
  for (u32 bank = 0; bank < banks; ++bank) {
    u64 taken[8] = {};
    broadcasts_of_bank(wants, count, bank, steps, taken);
    bool busy[lanes_per_warp + 1] = {};
    for (u32 i = 0; i < count; ++i) {
      if ((taken[i / 64] >> (i % 64) & 1u) == 0) continue;
      busy[broadcast] = true;
      wants[i].turn = static_cast<u16>(broadcast++);
      list.at[list.count++] = wants[i];
    }
    u32 turn = 0;
    for (u32 i = 0; i < count; ++i) {
      if (wants[i].bank != bank || (taken[i / 64] >> (i % 64) & 1u) != 0) continue;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        if ((wants[i].lanes >> lane & 1u) == 0) continue;
        while (busy[turn]) ++turn;
        list.at[list.count++] = {wants[i].word, 1u << lane, wants[i].bank, static_cast<u16>(turn++), wants[i].phase};
      }
    }
  }
}

BANKWISE_HD constexpr bool is_common_machine(const bank_model& m) {
  return m.banks == 32 && m.bank_bytes == 4 && m.row_bytes == 4 && m.split_bytes == 0 && m.phase_lanes[0] == 32 &&
         m.phase_lanes[1] == 16 && m.phase_lanes[2] == 8 && m.wide == serving::rows_per_bank;
}

BANKWISE_HD constexpr bool is_misaligned(const access& a, const lane_masks& on) {
  u32 low = 0;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) low |= a.address[lane] & on.at[lane];
  return (low & (a.op.width_bytes - 1u)) != 0;
}

// The lowest number of cycles that an atomic with a result can take (H200, data/sm_90/cycles.csv.zst): 1.9 at 32 bits,
// 2.6 at 64, 4.4 for a 64-bit compare-and-swap, whose cycles scatter by another 15 % that nothing known explains.
BANKWISE_HD constexpr u32 return_floor(operation o) {
  if (!o.returns) return 0;
  return o.width_bytes == 4 ? 2 : o.kind == op_kind::compare_and_swap ? 4 : 3;
}

BANKWISE_HD constexpr u32 bytes_a_pass(const bank_model& m) { return static_cast<u32>(m.banks) * m.row_bytes; }

BANKWISE_HD constexpr u32 passes_of(operation o, u32 pass_bytes, merge merged) {
  if (is_matrix(o.kind)) return o.matrices;
  if (o.kind != op_kind::load && o.kind != op_kind::store) return 1;
  const u32 full = larger(1, o.width_bytes * lanes_per_warp / pass_bytes);
  return merged == merge::none || full == 1 ? full : full / 2;
}

// From phases to the instruction. `pass_bytes` is a parameter so that the common machine divides by a constant.
BANKWISE_HD constexpr void finish(cost& c, const access& a, u32 pass_bytes, u32 clocks_per_wavefront) {
  if (a.op.kind == op_kind::compare_and_swap) {
    c.wavefronts *= 2;
    c.reachable *= 2;
  }
  // A matrix is eight rows, whatever the other lanes of the warp are, and compare-and-swap brings two values: measured on
  // ldmatrix and stmatrix .x1 and .x2, and on atom.cas.
  const u32 lanes = is_matrix(a.op.kind) ? a.op.matrices * 8 : count_bits(a.mask);
  const u32 trips = divide_up(lanes * a.op.width_bytes, pass_bytes);
  c.ideal = smaller(c.wavefronts, a.op.kind == op_kind::compare_and_swap ? 2 * trips : trips);
  c.reachable = smaller(c.reachable, c.wavefronts);
  c.passes = passes_of(a.op, pass_bytes, c.merged);
  c.cycles = larger(larger(c.wavefronts, c.passes), return_floor(a.op)) * clocks_per_wavefront;
}

// Calls visit(index, lanes) for every phase: merged where loads merge, one a matrix for the matrix operations.
template <class Visit>
BANKWISE_HD constexpr void each_phase(const access& a, const bank_model& m, merge merged, Visit&& visit) {
  const u32 used = lanes_used(a), size = phase_lanes(a, m) * (merged == merge::none ? 1 : 2);
  u32 index = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size)
    if (const u32 lanes = used & lane_range(first, size)) visit(index++, lanes);
}

// The common machine, 32 banks of one word, and aligned addresses. Every unit of the access width then fills a whole
// column of width / 4 banks, so distinct units per column are distinct words per bank, and phases times columns is 32.
// This is what the emulator asks a million times: loops over all lanes that a compiler vectorises, then one loop whose
// branches follow the pattern of the access and not its mask.
BANKWISE_HD constexpr void count_columns(const access& a, const lane_masks& on, cost& c) {
  const u32 unit_shift = a.op.width_bytes == 16 ? 4 : a.op.width_bytes == 8 ? 3 : 2;
  const u32 column_bits = 7 - unit_shift, column_mask = (1u << column_bits) - 1;
  const u32 phase_shift = column_bits + (c.merged == merge::none ? 0 : 1);

  u32 key[lanes_per_warp + 1] = {};  // distinct for distinct (phase, unit): n phases leave log2(n) high bits unused
  u16 place[lanes_per_warp] = {};    // a hash of the key in the low byte; phase and column in the high one
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    const u32 unit = a.address[i] >> unit_shift, phase = i >> phase_shift;
    key[i + 1] = unit | phase << 30;
    place[i] = static_cast<u16>((unit | phase << 30) * 0x9e3779b1u >> 24 | phase << (column_bits + 8) |
                                (unit & column_mask) << 8);
  }

  u8 turns[lanes_per_warp] = {};  // by phase and column
  if (shares(a.op.kind)) {
    u32 lanes = lanes_per_warp;
    if (lanes_used(a) != full_mask) {
      // The lanes that are on move to the front, so that no branch below is decided by the mask.
      lanes = 0;
      for (u32 i = 0; i < lanes_per_warp; ++i) {
        key[lanes + 1] = key[i + 1];
        place[lanes] = place[i];
        lanes += on.at[i] & 1u;
      }
    }
    u8 slot[256] = {};  // lane + 1 of the first lane with this key; 0: free
    for (u32 i = 0; i < lanes; ++i) {
      u32 h = place[i] & 255u, first = slot[h];
      while (first != 0 && key[first] != key[i + 1]) {
        h = (h + 1) & 255u;
        first = slot[h];
      }
      if (first != 0) continue;
      slot[h] = static_cast<u8>(i + 1);
      u8& turn = turns[place[i] >> 8];
      turn = static_cast<u8>(turn + 1u);
    }
  } else {
    for (u32 i = 0; i < lanes_per_warp; ++i)
      turns[place[i] >> 8] = static_cast<u8>(turns[place[i] >> 8] + (on.at[i] & 1u));
  }

  // A phase asks for at most 32 words: one pass could serve it.
  u32 worst[4] = {};
  for (u32 group = 0; group < 4; ++group)
    for (u32 i = 0; i < 8; ++i) worst[group] = larger(worst[group], turns[group * 8 + i]);
  if (column_bits >= 4) {
    worst[0] = larger(worst[0], worst[1]);
    worst[2] = larger(worst[2], worst[3]);
    worst[1] = worst[3] = 0;
  }
  if (column_bits == 5) {
    worst[0] = larger(worst[0], worst[2]);
    worst[2] = 0;
  }
  c.wavefronts = worst[0] + worst[1] + worst[2] + worst[3];
  c.reachable = static_cast<u32>(worst[0] != 0) + static_cast<u32>(worst[1] != 0) + static_cast<u32>(worst[2] != 0) +
                static_cast<u32>(worst[3] != 0);
}

// Fills in the list of one phase and what it costs.
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
    const bool share = shares(a.op.kind);
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
    const u32 enough = divide_up(count * m.bank_bytes, bytes_a_pass(m));
    e.total.reachable += enough;
    e.layout_floor += larger(enough, longest);
  }
};

}  // namespace detail

BANKWISE_HD constexpr merge merge_of(const access& a, const bank_model& m) {
  return detail::merge_of(a, m, detail::lane_masks(a.mask));
}

BANKWISE_HD constexpr u32 lanes_served(const access& a, const bank_model& m) {
  if (a.op.kind != op_kind::cas_spin) return lanes_used(a);
  const u32 size = detail::phase_lanes(a, m);
  u32 served = 0;
  for (u32 begin = 0; begin < lanes_per_warp; begin += size) {
    bool taken[most_banks] = {};
    for (u32 lane = begin; lane < begin + size; ++lane) {
      if ((a.mask >> lane & 1u) == 0) continue;
      const u32 first = a.address[lane] / m.bank_bytes, last = (a.address[lane] + a.op.width_bytes - 1u) / m.bank_bytes;
      bool free = true;
      for (u32 word = first; word <= last; ++word) free = free && !taken[word % m.banks];
      if (!free) continue;
      for (u32 word = first; word <= last; ++word) taken[word % m.banks] = true;
      served |= 1u << lane;
    }
  }
  return served;
}

namespace detail {

// cas_spin costs what a compare-and-swap of the lanes costs that it serves.
BANKWISE_HD constexpr access without_spin(const access& a, const bank_model& m) {
  access served = a;
  served.op.kind = op_kind::compare_and_swap;
  served.mask = lanes_served(a, m);
  return served;
}
// ... but "ideal" counts the lanes that ask.
BANKWISE_HD constexpr u32 spin_ideal(const access& a, const cost& c, const bank_model& m) {
  return smaller(c.wavefronts, 2 * divide_up(count_bits(a.mask) * a.op.width_bytes, bytes_a_pass(m)));
}

BANKWISE_HD constexpr copy_source contiguous_source() {
  copy_source from = {};
  for (u32 i = 0; i < lanes_per_warp; ++i) from.address[i] = i * piece_bytes;
  return from;
}

}  // namespace detail

BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::cas_spin) {
    explanation e = explain(detail::without_spin(a, m), m);
    e.total.ideal = detail::spin_ideal(a, e.total, m);
    return e;
  }
  if (a.op.kind == op_kind::copy_async_cg) return explain(a, detail::contiguous_source(), m);
  explanation e = {};
  if (lanes_used(a) == 0) return e;
  detail::word_list list;
  e.total.merged = merge_of(a, m);
  detail::each_phase(a, m, e.total.merged, detail::explain_phase{a, m, list, e});
  e.wants = list.count;
  for (u32 i = 0; i < list.count; ++i) e.want_at[i] = list.at[i];
  detail::finish(e.total, a, detail::bytes_a_pass(m), m.clocks_per_wavefront);
  if (a.op.kind == op_kind::compare_and_swap) e.layout_floor *= 2;
  e.layout_floor = detail::smaller(e.layout_floor, e.total.wavefronts);
  return e;
}

BANKWISE_HD constexpr u32 layout_floor(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::cas_spin) return analyze(a, m).wavefronts;
  if (detail::shares(a.op.kind)) return analyze(a, m).reachable;
  if (detail::is_misaligned(a, detail::lane_masks(lanes_used(a))) || !detail::is_common_machine(m))
    return explain(a, m).layout_floor;
  const u32 size = detail::phase_lanes(a, m);
  u32 floor = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u32 longest = 0;  // of the queues of this phase
    for (u32 i = first; i < first + size; ++i) {
      if ((a.mask >> i & 1u) == 0) continue;
      u32 queue = 0;
      for (u32 j = first; j < first + size; ++j)
        queue += (a.mask >> j & 1u) & static_cast<u32>(a.address[j] == a.address[i]);
      longest = detail::larger(longest, queue);
    }
    floor += longest;
  }
  return a.op.kind == op_kind::compare_and_swap ? floor * 2 : floor;
}

BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::cas_spin) {
    cost c = analyze(detail::without_spin(a, m), m);
    c.ideal = detail::spin_ideal(a, c, m);
    return c;
  }
  if (a.op.kind == op_kind::copy_async_cg) return analyze(a, detail::contiguous_source(), m);
  const u32 used = lanes_used(a);
  const detail::lane_masks on(used);
  if (detail::is_misaligned(a, on) || !detail::is_common_machine(m)) return explain(a, m).total;
  cost c = {};
  if (used == 0) return c;
  c.merged = detail::merge_of(a, m, on);
  detail::count_columns(a, on, c);
  detail::finish(c, a, 128, m.clocks_per_wavefront);
  return c;
}

namespace detail {

// Whether accesses of one width, at two addresses, want a bank in common.
BANKWISE_HD constexpr bool shares_a_bank(u32 a, u32 b, u32 width_bytes, const bank_model& m) {
  const u32 words = divide_up(width_bytes, m.bank_bytes);
  const u32 x = a / m.bank_bytes % m.banks, y = b / m.bank_bytes % m.banks;
  return (x + m.banks - y) % m.banks < words || (y + m.banks - x) % m.banks < words;
}

// The turn of each lane within its phase, from 1; 0 for lanes that take no part. Returns the wavefronts of .ca.
// `to`: destinations count; only sources do, if not.
BANKWISE_HD constexpr u32 ca_turns(const access& a, const copy_source& from, const bank_model& m, bool to,
                                   u8 (&turn)[lanes_per_warp]) {
  const u32 size = phase_lanes(a, m), width = a.op.width_bytes;
  u32 sum = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u32 longest = 0;
    for (u32 i = first; i < first + size; ++i) {
      if (!is_on(a.mask, i)) continue;
      u32 after = 0;
      for (u32 j = first; j < i; ++j) {
        if (!is_on(a.mask, j) || turn[j] <= after) continue;
        if ((to && shares_a_bank(a.address[i], a.address[j], width, m)) ||
            (is_on(from.reads, i) && is_on(from.reads, j) && shares_a_bank(from.address[i], from.address[j], width, m)))
          after = turn[j];
      }
      turn[i] = static_cast<u8>(after + 1);
      longest = larger(longest, after + 1);
    }
    sum += longest;
  }
  return sum;
}

// Whether a copy by .cg also goes the way of .ca.
BANKWISE_HD constexpr bool fills(const access& a, const copy_source& from) {
  return from.may_fill || (a.mask & ~from.reads) != 0;
}

BANKWISE_HD constexpr u32 trips_of(u32 lanes, const access& a, const bank_model& m) {
  return divide_up(count_bits(lanes) * a.op.width_bytes, bytes_a_pass(m));
}

BANKWISE_HD constexpr u32 moving_lanes(const access& a, const copy_source& from) {
  return moving_lanes(a.mask, from.reads, a.address);
}

// The bytes of .cg over the width of the pipe, once for each way they go.
BANKWISE_HD constexpr u32 cg_trips(const access& a, const copy_source& from, const bank_model& m) {
  return trips_of(writing_lanes(moving_lanes(a, from), a.address), a, m) +
         (fills(a, from) ? trips_of(a.mask, a, m) : 0);
}

// What .cg takes. `turn` as of cg_turns.
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

BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m) {
  u8 turn[lanes_per_warp] = {};
  if (a.mask == 0) return {};
  if (a.op.kind == op_kind::copy_async_cg) return detail::cg_cost(a, from, m, turn);
  cost c = analyze(a, m);
  if (a.op.kind != op_kind::copy_async) return c;
  c.wavefronts = detail::ca_turns(a, from, m, true, turn);
  c.ideal = detail::smaller(c.wavefronts, detail::trips_of(a.mask, a, m));
  c.cycles = detail::larger(c.wavefronts, c.passes) * m.clocks_per_wavefront;
  return c;
}

// Of .cg the lanes that read are shown, as one phase.
BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from, const bank_model& m) {
  if (!is_copy(a.op.kind)) return explain(a, m);
  explanation e = {};
  if (a.mask == 0) return e;
  u8 turn[lanes_per_warp] = {};
  if (a.op.kind == op_kind::copy_async_cg) {
    e.total = detail::cg_cost(a, from, m, turn);
    e.layout_floor = e.total.reachable;
    const u32 reading = detail::moving_lanes(a, from);
    if (reading == 0) return e;
    detail::word_list list;
    list.add(m, a.address, reading, 0, a.op.width_bytes, true, 0);
    e.phases = 1;
    e.phase_at[0] = {reading, 0, list.count, 0, static_cast<u16>(list.count)};
    e.wants = list.count;
    for (u32 i = 0; i < list.count; ++i) e.want_at[i] = list.at[i];
  } else {
    e = explain(a, m);
    e.total = analyze(a, from, m);
    e.layout_floor = detail::larger(e.layout_floor, source_floor(a, from, m));
    detail::ca_turns(a, from, m, true, turn);
    for (u32 p = 0; p < e.phases; ++p) e.phase_at[p].wavefronts = 0;
  }
  for (u32 i = 0; i < e.wants; ++i) {
    want& w = e.want_at[i];  // its lowest lane is the one that writes
    u32 lane = 0;
    while (!detail::is_on(w.lanes, lane)) ++lane;
    w.turn = static_cast<u16>(turn[lane] - 1u);
    phase& p = e.phase_at[w.phase];
    p.wavefronts = detail::larger(p.wavefronts, turn[lane]);
  }
  return e;
}

BANKWISE_HD constexpr u32 source_floor(const access& a, const copy_source& from, const bank_model& m) {
  u8 turn[lanes_per_warp] = {};
  if (a.op.kind == op_kind::copy_async) return detail::ca_turns(a, from, m, false, turn);
  if (a.op.kind != op_kind::copy_async_cg) return 0;
  return detail::cg_floor(detail::moving_lanes(a, from), a.address, from.address) +
         (detail::fills(a, from) ? detail::ca_turns(a, from, m, false, turn) : 0);
}

}  // namespace bankwise
