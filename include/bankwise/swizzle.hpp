// XOR swizzles, with CuTe's parameters:
//
//     swizzle{B, M, S}:   offset bits   ....YYY....ZZZ.....
//                                          ^      ^    ^
//                                          |      |    +-- M low bits do not change
//                                          |      +------- B bits that change: ZZZ ^= YYY
//                                          +-------------- B bits that change them, S above
//
// The unit of an offset is the caller's choice. In this project it is a byte, unless noted. CuTe's Swizzle<3,4,3> of
// bytes is the 128-byte swizzle of TMA: eight rows of 128 bytes, whose 16-byte chunks are permuted.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// A function that changes offsets. {0, 0, 0} does not change any offset.
struct swizzle {
  u32 bits;   // B: number of bits that change
  u32 base;   // M: number of low bits that do not change
  u32 shift;  // S: distance between the bits that change and the bits YYY, at least B

  BANKWISE_HD constexpr u32 operator()(u32 offset) const {
    return offset ^ ((offset >> shift) & (((1u << bits) - 1u) << base));
  }
};

// Whether the swizzle is a permutation of offsets. Applying such a swizzle twice returns the original offset. If the
// swizzle is not a permutation, two elements get the same position, so check swizzles that come from outside.
BANKWISE_HD constexpr bool is_bijective(swizzle s) {
  return s.shift >= s.bits && s.bits + s.base + s.shift <= 32 && s.shift < 32;
}

}  // namespace bankwise
