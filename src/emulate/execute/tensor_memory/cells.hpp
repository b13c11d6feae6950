// Finds the cells of tensor memory that an instruction accesses. Checks that these cells are allocated.
#pragma once

#include <cstring>

#include "base/format.hpp"
#include "emulate/execute/mbarrier.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

struct tensor_address {
  u32 lane = 0, column = 0;
};
static inline tensor_address tensor_address_of(u32 word) { return {word >> 16, word & 0xffff}; }
static inline tensor_address tensor_address_of(const worker& m, const sass::tensor_place& p) {
  return tensor_address_of(uniform_word(m, p.base) + static_cast<u32>(p.offset));
}

// Returns a text for messages, such as "columns 0 to 31 and 64 to 95", or "none".
static inline std::string allocated_columns(u32 units) {
  std::string text;
  for (unsigned n = 0; n < tensor_memory::columns / tensor_memory::unit;) {
    if ((units >> n & 1) == 0) {
      ++n;
      continue;
    }
    const unsigned first = n;
    while (n < tensor_memory::columns / tensor_memory::unit && (units >> n & 1) != 0) ++n;
    text += formatted("{}columns {} to {}", text.empty() ? "" : " and ", first * tensor_memory::unit,
                      n * tensor_memory::unit - 1);
  }
  return text.empty() ? "none" : text;
}

// Returns whether the block has allocated these columns. Reports a fault if it has not.
static inline bool has_columns(worker& m, block_state& of, u32 first, u32 count, const char* what) {
  tensor_memory& t = of.tensors;
  bool inside = count != 0 && first < tensor_memory::columns && count <= tensor_memory::columns - first;
  for (u32 n = first / tensor_memory::unit; inside && n <= (first + count - 1) / tensor_memory::unit; ++n)
    inside = (t.allocated >> n & 1) != 0;
  if (inside) {
    t.make();
    return true;
  }
  m.fail(fault_kind::illegal_address,
         formatted("{} columns {} to {} of tensor memory, but the block has allocated {}", what, first,
                   first + count - 1, allocated_columns(t.allocated)),
         -1, "tcgen05.alloc allocates columns, and returns the address of the first column");
  return false;
}

// Copies the row of each lane to the previous lane, beginning at lane `lane`. Rows stay in their group of 32 lanes, and
// the last lane of each group keeps its row. The manual says only "for a warp", so the groups are assumed.
static inline void shift_rows(tensor_memory& t, u32 lane, u32 column, u32 columns) {
  for (; lane + 1 < tensor_memory::lanes; ++lane)
    if (lane % 32 != 31) std::memcpy(t.lane(lane) + column, t.lane(lane + 1) + column, columns * sizeof(u32));
}

// Returns the other block of the pair, or null after a fault.
static inline block_state* peer_of(worker& m, const char* what) {
  const auto& blocks = m.block->cluster->blocks;
  const u32 rank = m.block->rank ^ 1;
  if (rank < blocks.size() && !blocks[rank]->ended) return blocks[rank];
  m.fail(fault_kind::launch_failure,
         rank < blocks.size() ? formatted("{} for two blocks, but block {} of the cluster has ended", what, rank)
                              : formatted("{} for two blocks, but the cluster has {}{}", what, blocks.size(),
                                          blocks.size() == 1 ? " block" : " blocks"),
         -1, ".cta_group::2 needs a cluster with an even number of blocks, and both blocks of a pair must be running");
  return nullptr;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
