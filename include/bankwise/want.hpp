// A want: lanes of one phase that want the same word of a bank. The rule counts the conflicts of a phase from its
// wants.
//
//     lanes 0-3 of ld.b32, addresses 0, 128, 4, 4:      word   0   bank 0   lane 0        turn 0
//                                                       word  32   bank 0   lane 1        turn 1: after word 0
//                                                       word   1   bank 1   lanes 2, 3    turn 0: they share the word
#pragma once

#include "bankwise/access.hpp"
#include "bankwise/arch.hpp"
#include "bankwise/lanes.hpp"

namespace bankwise {

// One entry of an explanation: lanes of one phase that want the same word of a bank.
struct want {
  u32 word;   // address / bank_bytes
  u32 lanes;  // mask of the lanes that share this word
  u16 bank;
  u16 turn;  // index of the wavefront that serves the word, within the phase
  u8 phase;
};

// The largest number of wants of an access on any machine. On a machine with banks of one byte, an access of 32 lanes
// with 16 bytes each has 512 wants.
inline constexpr u32 most_wants = 512;

namespace detail {

// Finds the wants of a phase word by word, for any machine. `offset` and `bytes` select the part of each lane's access.
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
      // an access that would wrap around at the end of the address space ends there
      const u32 last = (end_byte < begin_byte ? 0xffffffffu : end_byte) / m.bank_bytes;
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

// Assigns a wavefront to each want of a phase. A bank serves its rows one after another, in the order in which they
// occur. Wants of the same row share a wavefront. Returns the number of wavefronts.
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

}  // namespace detail
}  // namespace bankwise
