// An mbarrier: 8 bytes of shared memory. Its state (measured: data/sm_90/barriers.bin.zst):
//
//     63      62 ... 43        42   41 ... 21              20 ... 1          0
//     phase   minus pending    0    minus bytes that are   minus expected    0
//             arrivals              still to come          arrivals
//
// A phase is complete when no arrival and no transaction is pending. Then the phase bit flips, and the expected
// arrivals are pending again. A GPU keeps the state elsewhere until mbarrier.inval, so a plain load reads old bytes.
// Here it reads the state.
#pragma once

#include "base/text.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// Word k of the uniform registers that begin with `first`.
static inline u32 uniform_word(const worker& m, unsigned first, unsigned k = 0) {
  return m.w->uniform[std::min(first + k, sass::uniform_register_zero)];
}

inline constexpr u64 count_mask = (u64{1} << 20) - 1, transaction_mask = (u64{1} << 21) - 1;

struct mbarrier {
  u64 phase, pending, transactions, expected;  // transactions: bytes, modulo 2^21

  explicit mbarrier(u64 word)
      : phase(word >> 63),
        pending((0 - (word >> 43)) & count_mask),
        transactions((0 - (word >> 21)) & transaction_mask),
        expected((0 - (word >> 1)) & count_mask) {}
  u64 word() const {
    return phase << 63 | ((0 - pending) & count_mask) << 43 | ((0 - transactions) & transaction_mask) << 21 |
           ((0 - expected) & count_mask) << 1;
  }
  void complete_if_done() {
    if (pending != 0 || (transactions & transaction_mask) != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

// Finds an mbarrier in any block of the cluster.
static inline std::byte* find_mbarrier(worker& m, u32 address, int lane) {
  if (address % 8 != 0) {
    m.fail(fault_kind::misaligned_address,
           "uses an mbarrier at shared address 0x" + hex(address) + ", which is not a multiple of 8", lane, {});
    return nullptr;
  }
  return cluster_bytes(m, address, 8, "uses an mbarrier", lane);
}
static inline u64 load_mbarrier(const std::byte* p) {
  u64 word = 0;
  std::memcpy(&word, p, 8);
  return word;
}
static inline void save_mbarrier(std::byte* p, u64 word) { std::memcpy(p, &word, 8); }

// Reports operations on an mbarrier of the own block to the listeners.
static inline void tell_mbarrier(worker& m, order_kind what, u32 address) {
  if (is_own(m, address)) m.tell(what, m.p->mask, address & offset_mask);
}

// Counts arrivals and transactions. `dropped`: arrivals that are no longer expected from the next phase on.
static inline step update(worker& m, std::byte* at, int lane, u64 arrivals, u64 transactions, u64 dropped) {
  mbarrier b(load_mbarrier(at));
  if (arrivals > b.pending || dropped > b.expected)
    return m.fail(std::to_string(arrivals) + " arrivals at an mbarrier that expects only " + std::to_string(b.pending) +
                      " more of " + std::to_string(b.expected),
                  lane, "mbarrier.init takes the number of arrivals of a phase");
  b.transactions += transactions;
  b.pending -= arrivals;
  b.expected -= dropped;
  b.complete_if_done();
  save_mbarrier(at, b.word());
  return step::next;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
