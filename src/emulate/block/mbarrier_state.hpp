// An mbarrier: 8 bytes of shared memory. Its state (measured: data/sm_90/barriers.bin.zst):
//
//     63      62 ... 43        42   41 ... 21              20 ... 1          0
//     phase   minus pending    0    minus bytes that are   minus expected    0
//             arrivals              still to come          arrivals
//
// A phase is complete when no arrival and no transaction is pending. Then the phase bit flips, and the expected
// arrivals are pending again. A GPU keeps the state elsewhere until mbarrier.inval, so a plain load reads old bytes. In
// bankwise, a plain load reads the state.
#pragma once

#include <cstdint>

namespace bankwise::emulate {

inline constexpr std::uint64_t count_mask = (std::uint64_t{1} << 20) - 1,
                               transaction_mask = (std::uint64_t{1} << 21) - 1;

struct mbarrier {
  // `pending`, `expected`: numbers of arrivals. `transactions`: number of pending bytes, modulo 2^21.
  std::uint64_t phase, pending, transactions, expected;

  explicit mbarrier(std::uint64_t word)
      : phase(word >> 63),
        pending((0 - (word >> 43)) & count_mask),
        transactions((0 - (word >> 21)) & transaction_mask),
        expected((0 - (word >> 1)) & count_mask) {}
  std::uint64_t word() const {
    return phase << 63 | ((0 - pending) & count_mask) << 43 | ((0 - transactions) & transaction_mask) << 21 |
           ((0 - expected) & count_mask) << 1;
  }
  void complete_if_done() {
    if (pending != 0 || (transactions & transaction_mask) != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

// Code for a GPU before sm_90 reads and writes the state of an mbarrier by ordinary instructions, too (assumed from
// the code that ptxas makes):
//
//     63      62 ... 32                  31 30    29 ... 0
//     phase   minus pending arrivals     0        minus expected arrivals
//
// Returns the state after one arrival. When no arrival is pending, the carry flips the phase bit.
inline std::uint64_t after_early_arrival(std::uint64_t word) {
  constexpr std::uint32_t pending_mask = 0x7fffffff;
  std::uint32_t high = static_cast<std::uint32_t>(word >> 32) + 1;
  if ((high & pending_mask) == 0) high |= (0x40000000 + static_cast<std::uint32_t>(word)) & pending_mask;
  return std::uint64_t{high} << 32 | static_cast<std::uint32_t>(word);
}

}  // namespace bankwise::emulate
