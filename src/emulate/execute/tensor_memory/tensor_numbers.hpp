// The numbers that tcgen05.mma multiplies: their positions in 16 bytes, and their values.
#pragma once

#include <cstring>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"
#include "emulate/execute/small_floats.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// kind::f8f6f4 packs 16 numbers of 6 or 4 bits at the beginning of 16 bytes. Padding follows. `packed_e2m1` has no
// padding.
enum class tensor_number : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, e2m3, e3m2, e2m1, packed_e2m1, u8, s8 };

// Returns the number of elements in 16 bytes.
static inline unsigned numbers_in_piece(tensor_number n) {
  switch (n) {
    case tensor_number::f16:
    case tensor_number::bf16: return 8;
    case tensor_number::tf32: return 4;
    case tensor_number::packed_e2m1: return 32;
    default: return 16;
  }
}

// The values of all numbers of at most 8 bits. The index is the number's bits.
struct small_number_values {
  double at[256];
  explicit small_number_values(tensor_number n) {
    for (unsigned x = 0; x < 256; ++x) switch (n) {
        case tensor_number::e4m3: at[x] = float_of_e4m3(static_cast<std::uint8_t>(x)); break;
        case tensor_number::e5m2: at[x] = float_of_e5m2(static_cast<std::uint8_t>(x)); break;
        case tensor_number::e2m3: at[x] = value_of(e2m3_format, x); break;
        case tensor_number::e3m2: at[x] = value_of(e3m2_format, x); break;
        case tensor_number::u8: at[x] = x; break;
        case tensor_number::s8: at[x] = static_cast<std::int8_t>(x); break;
        default: at[x] = value_of(e2m1_format, x); break;
      }
  }
};
static inline const double* values_of(tensor_number n) {
  static const small_number_values all[] = {
      small_number_values(tensor_number::e4m3), small_number_values(tensor_number::e5m2),
      small_number_values(tensor_number::e2m3), small_number_values(tensor_number::e3m2),
      small_number_values(tensor_number::e2m1), small_number_values(tensor_number::packed_e2m1),
      small_number_values(tensor_number::u8),   small_number_values(tensor_number::s8)};
  return all[static_cast<unsigned>(n) - static_cast<unsigned>(tensor_number::e4m3)].at;
}

// Number `i` in 16 bytes, for numbers with `bits` bits (at most 8).
static inline unsigned packed_number(const unsigned char* piece, unsigned bits, unsigned i) {
  const unsigned at = bits * i;
  const unsigned two = piece[at / 8] | (at / 8 + 1 < 16 ? piece[at / 8 + 1] << 8 : 0);
  return two >> at % 8 & ((1u << bits) - 1);
}

// Reads the numbers in 16 bytes of shared memory.
static inline void read_piece(tensor_number n, const unsigned char* piece, double* to) {
  switch (n) {
    case tensor_number::f16:
    case tensor_number::bf16:
      for (unsigned i = 0; i < 8; ++i) {
        std::uint16_t h = 0;
        std::memcpy(&h, piece + 2 * i, 2);
        to[i] = n == tensor_number::f16 ? float_of_half(h) : float_of_bfloat16(h);
      }
      return;
    case tensor_number::tf32:
      for (unsigned i = 0; i < 4; ++i) {
        u32 word = 0;
        std::memcpy(&word, piece + 4 * i, 4);
        to[i] = float_of_bits(word & 0xffffe000u);
      }
      return;
    default: break;
  }
  const double* const value = values_of(n);
  const unsigned bits = n == tensor_number::e2m3 || n == tensor_number::e3m2          ? 6
                        : n == tensor_number::e2m1 || n == tensor_number::packed_e2m1 ? 4
                                                                                      : 8;
  if (bits == 8) {
    for (unsigned i = 0; i < 16; ++i) to[i] = value[piece[i]];
    return;
  }
  for (unsigned i = 0; i < numbers_in_piece(n); ++i) {
    to[i] = value[packed_number(piece, bits, i)];
  }
}

// Reads the same numbers as read_piece(), but from tensor memory. There, each number of kind::f8f6f4 takes a byte.
static inline void read_cells(tensor_number n, const u32* cells, double* to) {
  unsigned char piece[16];
  std::memcpy(piece, cells, sizeof piece);
  if (n != tensor_number::e2m1 && n != tensor_number::e2m3 && n != tensor_number::e3m2) return read_piece(n, piece, to);
  for (unsigned i = 0; i < 16; ++i) to[i] = values_of(n)[n == tensor_number::e2m1 ? piece[i] >> 2 & 15 : piece[i] & 63];
}

// The value of a scale of type UE8M0 or UE4M3.
static inline double scale_of(unsigned byte, bool is_power) {
  return is_power ? float_of_ue8m0(byte) : float_of_e4m3(static_cast<std::uint8_t>(byte & 0x7f));
}

}  // namespace bankwise::emulate::BANKWISE_ISA
