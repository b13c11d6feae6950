// The rule of compute capability 1.x. Each step broadcasts one word to all lanes that want it, and serves one lane of
// every other bank.
//
//     lanes 0-3 want words 0, 0, 16 and 1, which are in banks 0, 0, 0 and 1
//
//     step 0     word 0, broadcast to lanes 0 and 1     word 1 to lane 3
//     step 1     word 16 to lane 2
//
// We do not know which word the hardware broadcasts. The rule counts the steps for the best choice.
#pragma once

#include "bankwise/want.hpp"

namespace bankwise {
namespace detail {

// Selects the words of one bank that must be broadcast to finish within `steps` steps. These are the words with the
// most lanes. Selects words until the remaining steps are enough to serve the remaining lanes one by one. Sets bit i of
// `taken` for word i. Returns the number of selected words. If this number is more than `steps`, it is impossible to
// finish.
BANKWISE_HD constexpr u32 broadcasts_of_bank(const want* first, u32 count, u32 bank, u32 steps, u64 (&taken)[8]) {
  u32 served = steps, lanes = 0, broadcasts = 0;
  for (u32 i = 0; i < count; ++i)
    if (first[i].bank == bank) lanes += count_lanes(first[i].lanes);
  while (served < lanes) {
    u32 best = count;
    for (u32 i = 0; i < count; ++i)
      if (first[i].bank == bank && (taken[i / 64] >> (i % 64) & 1u) == 0 &&
          (best == count || count_lanes(first[i].lanes) > count_lanes(first[best].lanes)))
        best = i;
    if (best == count) return steps + 1;
    taken[best / 64] |= u64{1} << (best % 64);
    served += count_lanes(first[best].lanes) - 1;
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

// Assigns all wants, beginning with index `begin`, to `steps` steps. Each step broadcasts one word, and serves one lane
// in each of the other banks. A want whose lanes are served one by one is split into one want for each lane.
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

}  // namespace detail
}  // namespace bankwise
