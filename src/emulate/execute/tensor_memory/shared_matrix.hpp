// A matrix in shared memory. tcgen05.mma and tcgen05.cp read it in pieces of 16 bytes. The matrix descriptor:
//
//     63 61     52         51 49    45 ... 32      29 ... 16       13 ... 0
//     layout    absolute   base     stride / 16    leading / 16    start / 16
//     layout (the swizzle): 0 = none, 1 = 128 bytes in atoms of 32, 2 = 128 bytes, 4 = 64 bytes, 6 = 32 bytes
//
// W is the number of bytes of the swizzle. r counts rows of A along M, or columns of B along N. Byte b along K of row r
// has this address before the swizzle:
//
//     K-major, none     start + r / 8 * stride + r % 8 * 16 + b / 16 * leading + b % 16
//     K-major, W        start + r / 8 * stride + r % 8 * W + b, and `leading` for each end of W bytes. If `leading` is
//                       absolute, it is the start of the rows after that end (K = 96).
//     MN-major          k is the row of a core matrix, and r runs along its bytes: with c = r / (16 bytes),
//       none            start + c * stride + k % 8 * 16 + k / 8 * leading
//       W               start + c % (W / 16) * 16 + c / (W / 16) * leading + k % 8 * W + k / 8 * stride
//       atoms of 32     the same with W = 128, and 4 instead of 8
//
// The swizzle xors bits 4 to 6 of the address with bits 7 to 9 minus the base offset. If W is 64, the swizzle changes
// only bits 4 and 5. If W is 32, it changes only bit 4. With atoms of 32 bytes, the swizzle xors bits 5 and 6 with bits
// 7 and 8. The sources are the PTX manual and CUTLASS's canonical layouts.
#pragma once

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

inline constexpr u32 tensor_piece = 16;
inline constexpr const char* layout_type_hint =
    "the layout type must be 0 (no swizzle), 1 or 2 (swizzle of 128 bytes), 4 (64 bytes) or 6 (32 bytes)";

struct shared_matrix {
  u32 start, leading, stride, base, layout;
  bool absolute;
  block_state* in;

  shared_matrix(u64 d, block_state* of)
      : start(static_cast<u32>(d & 0x3fff) << 4),
        leading(static_cast<u32>(d >> 16 & 0x3fff) << 4),
        stride(static_cast<u32>(d >> 32 & 0x3fff) << 4),
        base(static_cast<u32>(d >> 49 & 7)),
        layout(static_cast<u32>(d >> 61)),
        absolute((d >> 52 & 1) != 0),
        in(of) {}

  bool is_known() const { return layout != 3 && layout != 5 && layout != 7; }
  bool has_wide_atoms() const { return layout == 1; }
  u32 width() const { return layout == 0 ? 16 : layout <= 2 ? 128 : layout == 4 ? 64 : 32; }
  u32 swizzled(u32 address) const {
    const u32 row = (address >> 7) - base;
    if (layout == 0) return address;
    return address ^ (has_wide_atoms() ? (row & 3) << 5 : (row & (width() / tensor_piece - 1)) << 4);
  }
  // For a K-major matrix: the address of the 16 bytes of row r that begin at byte 16 * part.
  u32 row(u32 r, u32 part) const {
    const u32 pieces = width() / tensor_piece, first = start / tensor_piece % pieces, at = first + part;
    const u32 begin = absolute && at >= pieces ? leading : start - first * tensor_piece + at / pieces * leading;
    return swizzled(begin + r / 8 * stride + r % 8 * width() + at % pieces * tensor_piece);
  }
  // For an MN-major matrix: the address of the 16 bytes at k that contain `count` rows, starting at row count * c.
  u32 column(u32 c, u32 k) const {
    const u32 pieces = width() / tensor_piece, rows = has_wide_atoms() ? 4 : 8;
    const u32 across = layout == 0 ? stride : leading, down = layout == 0 ? leading : stride;
    return swizzled(start + c % pieces * tensor_piece + c / pieces * across + k % rows * width() + k / rows * down);
  }
};

// Returns 16 bytes of the matrix. Null after a fault.
static inline const unsigned char* shared_piece(worker& m, const shared_matrix& from, u32 address, const char* what) {
  address &= 0x3ffff;
  if (address > m.s->shared_end || m.s->shared_end - address < tensor_piece) {
    m.fail(fault_kind::illegal_address,
           formatted("{} a matrix at shared address 0x{}, but the block has {} bytes of shared memory", what,
                     hex(address), grouped(m.s->shared_bytes)),
           -1, "check the descriptor's start, leading and stride byte offsets");
    return nullptr;
  }
  if (m.s->shared_bytes < address + tensor_piece)
    m.past.add(std::countr_zero(m.p->mask), access_direction::read, address | from.in->rank << rank_shift,
               tensor_piece);
  return reinterpret_cast<const unsigned char*>(from.in->shared.data()) + address;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
