// One warp instruction on shared memory: an operation, the mask of active lanes, and a byte address for each lane.
//
//     float v = tile[threadIdx.x][0];          with  __shared__ float tile[32][33];
//
//     access a = make_access(ld(4), [](u32 lane) { return lane * 33 * 4; });
//                            |  |                         |
//                    a load  |  4 bytes a lane            byte address of each lane
//
// Addresses are offsets in bytes. The rule uses only two things: each address modulo (banks * bank width), and whether
// addresses are equal. If the base address is a multiple of 128, you can therefore omit it.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// The kind of an instruction. Two instructions have different kinds only if their bank conflicts differ. All arithmetic
// atomics are therefore one kind.
enum class op_kind : u8 {
  load,              // ld.shared, LDS
  store,             // st.shared, STS
  ldmatrix,          // LDSM: lanes 8j to 8j + 7 contain the addresses of the 16-byte rows of matrix j
  stmatrix,          // STSM: a store; its lanes contain addresses as for ldmatrix
  atomic,            // atom and red: add, min, max, and, or, xor, exch, inc, dec
  compare_and_swap,  // atom.cas: accesses each bank twice
  // ATOMS.CAST.SPIN, in loops that the compiler generates: each bank serves one lane, and other lanes retry
  cas_spin,
  // ATOMS.POPC.INC: adds the number of lanes to each word, so lanes with the same word share a wavefront
  increment,
  copy_async,     // cp.async.ca, LDGSTS: lanes that write to the same word do not share a wavefront
  copy_async_cg,  // cp.async.cg, LDGSTS.BYPASS: copies from L2 without the shared pipe
};

// An instruction: its kind, and the properties that affect bank conflicts. The functions below make the operations of
// the hardware. Two operations are equal if all their fields are equal.
struct operation {
  op_kind kind;
  u8 width_bytes;  // bytes for each lane: 1, 2, 4, 8 or 16; 16 (a row) for matrix operations
  u8 matrices;     // 1, 2 or 4 for ldmatrix and stmatrix, else 0
  bool returns;    // atomics only: whether the old value is returned in a register
  bool generic;    // loads only: whether the pointer is generic (LD). A generic load never merges phases
};
BANKWISE_HD constexpr bool operator==(operation a, operation b) {
  return a.kind == b.kind && a.width_bytes == b.width_bytes && a.matrices == b.matrices && a.returns == b.returns &&
         a.generic == b.generic;
}
BANKWISE_HD constexpr bool operator!=(operation a, operation b) { return !(a == b); }

// These functions return operations. Their names follow PTX. `bytes` is the width of one lane, and `count` is the
// number of 8 x 8 matrices. The functions do not check whether the instruction exists. valid() checks this.
BANKWISE_HD constexpr operation ld(u32 bytes) { return {op_kind::load, static_cast<u8>(bytes), 0, false, false}; }
BANKWISE_HD constexpr operation ld_generic(u32 bytes) {
  return {op_kind::load, static_cast<u8>(bytes), 0, false, true};
}
BANKWISE_HD constexpr operation st(u32 bytes) { return {op_kind::store, static_cast<u8>(bytes), 0, false, false}; }
BANKWISE_HD constexpr operation ldmatrix(u32 count) {
  return {op_kind::ldmatrix, 16, static_cast<u8>(count), false, false};
}
BANKWISE_HD constexpr operation stmatrix(u32 count) {
  return {op_kind::stmatrix, 16, static_cast<u8>(count), false, false};
}
BANKWISE_HD constexpr operation atom(u32 bytes) { return {op_kind::atomic, static_cast<u8>(bytes), 0, true, false}; }
BANKWISE_HD constexpr operation red(u32 bytes) { return {op_kind::atomic, static_cast<u8>(bytes), 0, false, false}; }
BANKWISE_HD constexpr operation cas(u32 bytes) {
  return {op_kind::compare_and_swap, static_cast<u8>(bytes), 0, true, false};
}
BANKWISE_HD constexpr operation cas_spin(u32 bytes) {
  return {op_kind::cas_spin, static_cast<u8>(bytes), 0, true, false};
}
BANKWISE_HD constexpr operation popc_inc() { return {op_kind::increment, 4, 0, false, false}; }
BANKWISE_HD constexpr operation cp_async(u32 bytes) {
  return {op_kind::copy_async, static_cast<u8>(bytes), 0, false, false};
}
BANKWISE_HD constexpr operation cp_async_cg() { return {op_kind::copy_async_cg, 16, 0, false, false}; }
BANKWISE_HD constexpr bool is_copy(op_kind k) { return k == op_kind::copy_async || k == op_kind::copy_async_cg; }
BANKWISE_HD constexpr bool is_matrix(op_kind k) { return k == op_kind::ldmatrix || k == op_kind::stmatrix; }

// Whether lanes that need the same word share one wavefront. Otherwise each of these lanes needs its own wavefront.
BANKWISE_HD constexpr bool shares_words(op_kind k) {
  return k != op_kind::atomic && k != op_kind::compare_and_swap && k != op_kind::copy_async;
}

// Whether the instruction exists with this width, or with this number of matrices. analyze() does not call valid(). For
// an operation that does not exist, the result of analyze() has no meaning.
BANKWISE_HD constexpr bool valid(operation o) {
  const u32 w = o.width_bytes;
  switch (o.kind) {
    case op_kind::load:
    case op_kind::store: return w == 1 || w == 2 || w == 4 || w == 8 || w == 16;
    case op_kind::ldmatrix:
    case op_kind::stmatrix: return w == 16 && (o.matrices == 1 || o.matrices == 2 || o.matrices == 4);
    case op_kind::atomic:
    case op_kind::compare_and_swap:
    case op_kind::cas_spin: return w == 4 || w == 8;
    case op_kind::increment: return w == 4;
    case op_kind::copy_async: return w == 4 || w == 8 || w == 16;
    case op_kind::copy_async_cg: return w == 16;
  }
  return false;
}

// One executed warp instruction: the operation, and the address of each of its 32 lanes.
struct access {
  operation op;
  u32 mask;                     // active lanes; bit i is lane i
  u32 address[lanes_per_warp];  // byte address of each lane; the rule ignores the addresses of inactive lanes
};

// The addresses from which the lanes of a cp.async read.
struct copy_source {
  u32 address[lanes_per_warp];  // byte addresses in global memory; the lower 32 bits are enough
  u32 reads = full_mask;        // lanes that read; other active lanes write zeros
  // For .cg: whether the instruction can write zeros for some lanes (LDGSTS.ZFILL), even if it writes none in this
  // access.
  bool may_fill = false;
};

// Makes an access from a function of the lane. Calls `byte_address(lane)` for all 32 lanes, even if they are inactive.
// `byte_address` returns a byte address, which is truncated to 32 bits.
BANKWISE_CALLS_YOURS
template <class ByteAddress>
BANKWISE_HD constexpr access make_access(operation op, const ByteAddress& byte_address, u32 mask = full_mask) {
  access a = {op, mask, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.address[lane] = static_cast<u32>(byte_address(lane));
  return a;
}

// Returns the mask of the lanes whose addresses the instruction uses. A matrix operation with .xK uses only the
// addresses of the first 8 * K lanes.
BANKWISE_HD constexpr u32 lanes_used(const access& a) {
  const u32 rows = a.op.matrices * 8u;
  return rows == 0 || rows >= lanes_per_warp ? a.mask : a.mask & ((1u << rows) - 1u);
}

// Returns the first active lane whose address is not a multiple of the width, or 32 if there is none. On hardware, such
// an address is an error.
BANKWISE_HD constexpr u32 first_misaligned_lane(const access& a) {
  const u32 used = lanes_used(a);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((used >> lane & 1u) != 0 && a.address[lane] % a.op.width_bytes != 0) return lane;
  return lanes_per_warp;
}

}  // namespace bankwise
