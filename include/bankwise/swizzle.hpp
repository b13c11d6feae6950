// XOR swizzles, with CuTe's parameters:
//
//     swizzle{B, M, S}:   offset bits   ....YYY....ZZZ.....
//                                          ^      ^    ^
//                                          |      |    +-- M low bits do not change
//                                          |      +------- B bits that change: ZZZ ^= YYY
//                                          +-------------- B bits that change them, S above
//
// A swizzle works with offsets in any unit. In this project, offsets are in bytes unless a comment names another unit.
// CuTe's Swizzle<3,4,3> over bytes is the 128-byte swizzle of TMA. It permutes the 16-byte chunks in eight rows of 128
// bytes.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// A function that changes offsets. The swizzle {0, 0, 0} does not change any offset.
struct swizzle {
  u32 bits;   // B: number of bits that change
  u32 base;   // M: number of low bits that do not change
  u32 shift;  // S: distance between the bits that change and the bits YYY, at least B

  BANKWISE_HD constexpr u32 operator()(u32 offset) const {
    return offset ^ ((offset >> shift) & (((1u << bits) - 1u) << base));
  }
};

// Whether the swizzle is a permutation of offsets. If you apply such a swizzle twice, you get the original offset. If
// the swizzle is not a permutation, two elements can get the same position. If a user or a file provides the swizzle,
// check it with this function.
BANKWISE_HD constexpr bool is_bijective(swizzle s) {
  return s.shift >= s.bits && s.bits + s.base + s.shift <= 32 && s.shift < 32;
}

}  // namespace bankwise
