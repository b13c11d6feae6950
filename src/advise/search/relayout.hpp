// A layout gives new positions to the bytes of a shared array, but the meaning of the kernel's indices stays the same.
//
//     offset  ->  panels  ->  padding  ->  xor  ->  new offset
//
//     panels    the columns of a tile are divided into panels, which are placed one after another, as boxes of TMA
//     padding   `gap` bytes are free after every `every` bytes
//     xor       new bit i is the parity of some bits of the offset: CuTe's Swizzle<B,M,S>, or any matrix over GF(2)
//
//     half A[64][64], Swizzle<3,4,3>      row 1, column 0      offset 128 -> 144
//         terms  (offset >> 0 & ~0) ^ (offset >> 3 & 0x70)
#pragma once

#include <cstdint>
#include <vector>

#include "bankwise/swizzle.hpp"

namespace bankwise::advise {

// A term of the xor: offset >> shift & mask. If shift is negative, the term is offset << -shift & mask.
struct xor_term {
  int shift = 0;
  u32 mask = 0;

  friend bool operator==(const xor_term&, const xor_term&) = default;
};

struct relayout {
  // panels: bytes of a panel's row, bytes of a row of the tile, number of rows. panel_bytes is 0 if there are no panels
  u32 panel_bytes = 0, pitch_bytes = 0, rows = 0;
  u32 every = 0, gap = 0;       // padding of `gap` bytes after every `every` bytes; `every` is 0 if there is no padding
  std::vector<xor_term> terms;  // terms of the xor; empty if there is no xor

  // Returns the new offset, which is below 2^28. The old offset must be below 2^20.
  u32 operator()(u32 offset) const;

  friend bool operator==(const relayout&, const relayout&) = default;
};

inline constexpr u32 most_offset_bits = 20;

// Returns the terms of a swizzle over bytes.
std::vector<xor_term> terms_of(swizzle s);

// A square matrix over GF(2), stored by columns. The new offset is the xor of image[j] over the set bits j of the old
// offset.
struct bit_matrix {
  std::vector<u32> image;

  static bit_matrix identity(u32 bits);
  u32 operator()(u32 offset) const;
};
// Returns the terms of the matrix, one for each diagonal. Bits above the matrix do not change.
std::vector<xor_term> terms_of(const bit_matrix& m);
// Whether no two bytes get the same position.
bool is_invertible(const bit_matrix& m);
// Returns the inverse of an invertible matrix.
bit_matrix inverse(const bit_matrix& m);
// Returns the matrix of the terms, for offsets with this number of bits.
bit_matrix matrix_of(const std::vector<xor_term>& terms, u32 bits);

// Returns the size in bytes of the array in this layout.
std::uint64_t bytes_after(const relayout& layout, std::uint64_t bytes);

}  // namespace bankwise::advise
