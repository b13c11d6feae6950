// Operations on mbarriers. block/mbarrier_state.hpp describes the state of an mbarrier.
#pragma once

#include <functional>
#include <string>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/block/cluster_memory.hpp"
#include "emulate/block/mbarrier_state.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

static inline u32 uniform_word(const worker& m, unsigned first, unsigned k = 0) {
  return m.w->uniform[std::min(first + k, sass::uniform_register_zero)];
}

// The text for a fault of an access. It is built only if the access is a fault.
using fault_words = std::function<std::string()>;

// Like cluster_bytes(), for accesses that are usually valid.
static inline std::byte* bytes_in_cluster(worker& m, access_direction does, u32 address, u64 bytes,
                                          const fault_words& what, int lane) {
  std::byte* const at = find_cluster_bytes(m, address, bytes);
  return at != nullptr ? at : cluster_bytes(m, does, address, bytes, what(), lane);
}

static inline std::byte* find_mbarrier(worker& m, u32 address, int lane) {
  if (address % 8 != 0) {
    m.fail(fault_kind::misaligned_address,
           formatted("uses an mbarrier at shared address 0x{}, which is not a multiple of 8", hex(address)), lane,
           "declare the mbarrier with __align__(8)");
    return nullptr;
  }
  return bytes_in_cluster(
      m, access_direction::update, address, 8, [] { return "uses an mbarrier"; }, lane);
}
static inline u64 load_mbarrier(const std::byte* p) {
  u64 word = 0;
  std::memcpy(&word, p, 8);
  return word;
}
static inline void save_mbarrier(std::byte* p, u64 word) { std::memcpy(p, &word, 8); }

// Reports an operation on an mbarrier of the worker's own block to the listeners. `pc`: of an instruction on mbarriers.
static inline void tell_mbarrier(worker& m, order_kind what, u32 address, u64 pc = 0) {
  if (m.order != nullptr && is_own(m, address))
    m.order->on_order({.kind = what, .warp = m.w->id, .lanes = m.p->mask, .number = address & offset_mask, .pc = pc});
}

// Counts arrivals and transactions at an mbarrier. `dropped`: number of arrivals that later phases no longer expect.
static inline step update(worker& m, std::byte* at, int lane, u64 arrivals, u64 transactions, u64 dropped) {
  mbarrier b(load_mbarrier(at));
  if (arrivals > b.pending && b.expected == 0)
    return m.fail("arrives at an mbarrier that was not initialised", lane,
                  "call mbarrier.init in one thread of the block, and __syncthreads() before the first arrival");
  if (arrivals > b.pending || dropped > b.expected)
    return m.fail(formatted("arrives {} times at an mbarrier that expects only {} more of {} arrivals", arrivals,
                            b.pending, b.expected),
                  lane, "pass the number of arrivals in each phase to mbarrier.init");
  b.transactions += transactions;
  b.pending -= arrivals;
  b.expected -= dropped;
  b.complete_if_done();
  save_mbarrier(at, b.word());
  ++m.mbarrier_changes;
  return step::next;
}

// Arrives once at an mbarrier of code for a GPU before sm_90. Such code initializes and tests the mbarrier by ordinary
// stores and loads. Returns the state before the arrival.
static inline u64 arrive_before_hopper(worker& m, std::byte* at, u32 address) {
  const u64 old = load_mbarrier(at);
  save_mbarrier(at, after_early_arrival(old));
  ++m.mbarrier_changes;
  tell_mbarrier(m, order_kind::poll, address);
  tell_mbarrier(m, order_kind::release, address);
  return old;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
