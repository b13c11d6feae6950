// Addresses of bulk copies of plain bytes and of tensors.
#pragma once

#include <span>

#include "base/format.hpp"
#include "emulate/execute/mbarrier.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// Returns the host's pointer to global memory, or null after a fault. If `bytes` is 0, every address is valid.
static inline std::byte* global_bytes(worker& m, u64 address, u64 bytes, const fault_words& what, int lane) {
  static std::byte none;
  if (bytes == 0) return &none;
  std::byte* const at = m.s->memory->bytes_at(address, bytes);
  if (at != nullptr) return at;
  m.fail(fault_kind::illegal_address,
         formatted("{} at address 0x{}: {}", what(), hex(address), m.s->memory->describe_nearest(address)), lane,
         "check the sizes of the buffers against the indices of the kernel");
  m.fault_trail = m.s->memory->history_of_nearest(address);
  return nullptr;
}

// Returns the range if it is in the shared memory of the worker's own block. Returns an empty range otherwise.
static inline async_event::range own_range(const worker& m, u32 address, u32 bytes) {
  const u32 begin = address & offset_mask;
  return is_own(m, address) ? async_event::range{begin, begin + bytes} : async_event::range{};
}

// A target of a bulk copy: the shared memory that the copy writes, and the mbarrier that counts the copied bytes.
struct bulk_target {
  std::byte *data = nullptr, *barrier = nullptr;
  u32 address = 0, barrier_address = 0;
};
struct bulk_targets {
  bulk_target at[most_cluster_blocks];
  unsigned count = 0;
  std::span<const bulk_target> each() const { return {at, count}; }
};

// Finds the targets of a bulk copy. `blocks`: a mask of block ranks. Each of these blocks gets the same bytes at the
// same offset. If the mask is 0, only the block that the address names gets the bytes. Returns false after a fault.
static inline bool find_targets(worker& m, u32 address, u32 barrier, u32 bytes, u32 blocks, const fault_words& what,
                                int lane, bulk_targets& out) {
  const auto add = [&](u32 to, u32 tell) {
    bulk_target& t = out.at[out.count];
    t = {bytes_in_cluster(m, access_direction::write, to, bytes, what, lane), nullptr, to, tell};
    if (t.data != nullptr) t.barrier = find_mbarrier(m, tell, lane);
    out.count += t.barrier != nullptr ? 1 : 0;
    return t.barrier != nullptr;
  };
  if (blocks == 0) return add(address, barrier);
  for (u32 rest = blocks & 0xffff; rest != 0; rest &= rest - 1) {
    const u32 rank = static_cast<u32>(std::countr_zero(rest)) << rank_shift;
    if (!add(rank | (address & offset_mask), rank | (barrier & offset_mask))) return false;
  }
  return true;
}

// Counts the copied bytes at the target's mbarrier.
static inline step complete(worker& m, const bulk_target& t, u32 bytes, int lane) {
  tell_mbarrier(m, order_kind::complete, t.barrier_address);
  return update(m, t.barrier, lane, 0, u64{0} - bytes, 0);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
