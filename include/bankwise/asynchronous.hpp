// Asynchronous operations on shared memory: wgmma with operands in shared memory, bulk copies, TMA, mbarriers, and
// accesses to another block's shared memory. Their cost does not depend on the addresses of 32 lanes.
//
//     async_operation a = wgmma(96, true);            wgmma.mma_async.m64n96k16, A from shared memory
//     async_operation b = bulk_copy(true, 4096);      cp.async.bulk of 4,096 bytes into shared memory
//
// asynchronous_cost.hpp computes the cost of these operations.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// The kind of an asynchronous instruction.
enum class async_kind : u8 {
  none,          // not asynchronous: the cost depends on the lanes' addresses (access.hpp)
  wgmma,         // HGMMA, QGMMA, IGMMA, BGMMA: a matrix product of a warp group
  bulk_copy,     // cp.async.bulk and cp.reduce.async.bulk between global and shared memory
  tensor_copy,   // cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, which TMA executes
  barrier_init,  // mbarrier.init of one mbarrier
  barrier,       // other operations on mbarriers: arrive, expect_tx, complete_tx, test_wait, try_wait, inval
  remote_load,   // ld.shared::cluster from another block's shared memory
  remote_store,
  remote_store_async,  // st.async
  remote_atomic,
  remote_compare_and_swap,
  warp_end,        // EXIT of the last active lanes of a warp
  tensor_product,  // tcgen05.mma
  tensor_fill,     // tcgen05.cp, which writes tensor memory
};

// An asynchronous instruction: its kind, and the properties that affect its cost in shared memory. The functions below
// make the operations of the hardware.
struct async_operation {
  async_kind kind;
  bool a_in_shared;  // wgmma: whether A is read from shared memory. Otherwise it is read from registers
  bool to_shared;    // copies: whether shared memory is the destination
  u16 columns;       // wgmma: N; tcgen05.mma: number of columns of tensor memory for the sums
  u32 k_bytes;       // wgmma: bytes of K for each column of B: 32, or 64 if A is sparse. A row of A always has 32 bytes
  u64 bytes;         // copies, tcgen05: bytes in shared memory
};
BANKWISE_HD constexpr bool operator==(const async_operation& a, const async_operation& b) {
  return a.kind == b.kind && a.a_in_shared == b.a_in_shared && a.to_shared == b.to_shared && a.columns == b.columns &&
         a.k_bytes == b.k_bytes && a.bytes == b.bytes;
}
BANKWISE_HD constexpr bool operator!=(const async_operation& a, const async_operation& b) { return !(a == b); }

// Returns a wgmma whose result has 64 rows and `columns` columns (N). For every type, K has 32 bytes. If A is sparse, K
// has 64 bytes, and A contains only half of the numbers of a row.
BANKWISE_HD constexpr async_operation wgmma(u32 columns, bool a_in_shared, bool sparse = false) {
  return {async_kind::wgmma, a_in_shared, false, static_cast<u16>(columns), sparse ? 64u : 32u, 0};
}
// Return copies of `bytes` bytes to or from shared memory. For a tensor copy, `bytes` is the size of the box.
BANKWISE_HD constexpr async_operation bulk_copy(bool to_shared, u64 bytes) {
  return {async_kind::bulk_copy, false, to_shared, 0, 0, bytes};
}
BANKWISE_HD constexpr async_operation tensor_copy(bool to_shared, u64 bytes) {
  return {async_kind::tensor_copy, false, to_shared, 0, 0, bytes};
}
// Return operations of tcgen05. tensor_product() returns a tcgen05.mma. `bytes` is the size of its operands in shared
// memory. Its sums occupy `columns` columns of tensor memory, in all 128 lanes. tensor_fill() returns a tcgen05.cp that
// copies `bytes` bytes.
BANKWISE_HD constexpr async_operation tensor_product(u64 bytes, u32 columns) {
  return {async_kind::tensor_product, false, false, static_cast<u16>(columns), 0, bytes};
}
BANKWISE_HD constexpr async_operation tensor_fill(u64 bytes) {
  return {async_kind::tensor_fill, false, false, 0, 0, bytes};
}
// Returns an operation of a kind that has no parameters.
BANKWISE_HD constexpr async_operation async_of(async_kind kind) { return {kind, false, false, 0, 0, 0}; }

// Whether the instruction exists with these properties. analyze() does not call valid().
BANKWISE_HD constexpr bool valid(const async_operation& o) {
  switch (o.kind) {
    case async_kind::none: return false;
    case async_kind::wgmma:
      return o.columns >= 8 && o.columns <= 256 && o.columns % 8 == 0 && (o.k_bytes == 32 || o.k_bytes == 64);
    case async_kind::bulk_copy: return o.bytes % 16 == 0;
    default: return true;
  }
}

// The number of warps that execute a wgmma together, and the number of rows of matrix A.
inline constexpr u32 warps_per_group = 4;
inline constexpr u32 wgmma_rows = 64, wgmma_row_bytes = 32;

}  // namespace bankwise
