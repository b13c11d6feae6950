// The cost of an access in the banks, without the reasons. On the common machine (32 banks of one word), the rule
// divides the banks into columns. A column has as many banks as one lane's access has words. Costs are in wavefronts:
//
//     ld.b128, lanes 0-7 of a quarter-warp      column     0      1      2      3      4      5      6      7
//                                               banks     0-3    4-7    8-11  12-15  16-19  20-23  24-27  28-31
//     lane t reads float4 number t              lane       0      1      2      3      4      5      6      7    cost 1
//     lane t reads float4 number 2 t            lanes     0, 4          1, 5          2, 6          3, 7       cost 2
//
// On other machines, and for misaligned addresses, each word is counted separately, as in explain().
#pragma once

#include "bankwise/explanation.hpp"

namespace bankwise {
namespace detail {

BANKWISE_HD constexpr bool is_common_machine(const bank_model& m) {
  return m.banks == 32 && m.bank_bytes == 4 && m.row_bytes == 4 && m.split_bytes == 0 && m.phase_lanes[0] == 32 &&
         m.phase_lanes[1] == 16 && m.phase_lanes[2] == 8 && m.wide == serving::rows_per_bank &&
         m.wide_loads == load_order::neighbours;
}

BANKWISE_HD constexpr bool is_misaligned(const access& a, const lane_masks& on) {
  u32 low = 0;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) low |= a.address[lane] & on.at[lane];
  return (low & (a.op.width_bytes - 1u)) != 0;
}

// Counts an access with aligned addresses on the common machine (32 banks of one word). Every unit of the access width
// fills a whole column of width / 4 banks. Distinct units in a column are therefore distinct words in a bank, and
// phases times columns is 32.
// The emulator calls this function millions of times. The loops over all lanes can be vectorised. The loop that fills
// `slot` cannot be vectorised. The branches in this loop depend on the pattern of the access, not on its mask.
BANKWISE_HD constexpr void count_columns(const access& a, const lane_masks& on, cost& c) {
  const u32 unit_shift = a.op.width_bytes == 16 ? 4 : a.op.width_bytes == 8 ? 3 : 2;
  const u32 column_bits = 7 - unit_shift, column_mask = (1u << column_bits) - 1;
  const u32 phase_shift = column_bits + (c.merged == merge::none ? 0 : 1);

  // A unique number for each pair of phase and unit. With n phases, its high log2(n) bits are the index of the phase.
  u32 key[lanes_per_warp + 1] = {};
  u16 place[lanes_per_warp] = {};  // low byte: a hash of the key; high byte: phase and column
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    const u32 unit = a.address[i] >> unit_shift, phase = i >> phase_shift;
    key[i + 1] = unit | phase << 30;
    place[i] = static_cast<u16>((unit | phase << 30) * 0x9e3779b1u >> 24 | phase << (column_bits + 8) |
                                (unit & column_mask) << 8);
  }

  u8 turns[lanes_per_warp] = {};  // number of wavefronts for each phase and column
  if (shares_words(a.op.kind)) {
    u32 lanes = lanes_per_warp;
    if (lanes_used(a) != full_mask) {
      // Moves the active lanes to the front. The branches below then do not depend on the mask.
      lanes = 0;
      for (u32 i = 0; i < lanes_per_warp; ++i) {
        key[lanes + 1] = key[i + 1];
        place[lanes] = place[i];
        lanes += on.at[i] & 1u;
      }
    }
    u8 slot[256] = {};  // lane + 1 of the first lane with this key; 0 if free
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

  // The words of a phase fit into one wavefront, so each phase adds 1 to `reachable`.
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

// Returns the cost of every access that explain_banks() can explain.
BANKWISE_HD constexpr cost cost_of_banks(const access& a, const bank_model& m) {
  const u32 used = lanes_used(a);
  const lane_masks on(used);
  if (is_misaligned(a, on) || !is_common_machine(m)) return explain_banks(a, m).total;
  cost c = {};
  if (used == 0) return c;
  c.merged = merge_of(a, m, on);
  count_columns(a, on, c);
  finish(c, a, 128, m.clocks_per_wavefront);
  return c;
}

}  // namespace detail
}  // namespace bankwise
