// XOR swizzles, with CuTe's parameters:
//
//     swizzle{B, M, S}:   offset bits   ....YYY....ZZZ.....
//                                          ^      ^    ^
//                                          |      |    +-- M low bits do not change
//                                          |      +------- B bits that change: ZZZ ^= YYY
//                                          +-------------- B bits that change them, S above
//
// The caller chooses the unit of an offset. In this project it is bytes, unless noted. CuTe's Swizzle<3,4,3> over bytes
// is the 128-byte swizzle of TMA: eight rows of 128 bytes with their 16-byte chunks permuted.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// A function that changes offsets. {0, 0, 0} does not change any.
struct swizzle {
  u32 bits;   // B: number of bits that change
  u32 base;   // M: number of low bits that do not change
  u32 shift;  // S: distance from the bits that change to the bits YYY, at least B

  BANKWISE_HD constexpr u32 operator()(u32 offset) const {
    return offset ^ ((offset >> shift) & (((1u << bits) - 1u) << base));
  }
};

// Whether the swizzle is a permutation of offsets. If so, applying it twice returns the offset. If not, two elements
// get the same position, so check layouts that come from outside.
BANKWISE_HD constexpr bool is_bijective(swizzle s) {
  return s.shift >= s.bits && s.bits + s.base + s.shift <= 32 && s.shift < 32;
}

}  // namespace bankwise
