// XOR swizzles, with CuTe's parameters:
//
//     swizzle{B, M, S}:   offset bits   ....YYY....ZZZ.....
//                                          ^      ^    ^
//                                          |      |    +-- M low bits stay as they are
//                                          |      +------- B bits that change: ZZZ ^= YYY
//                                          +-------------- B bits that they are changed by, S above
//
// The caller chooses the unit of an offset; here it is bytes unless noted. CuTe's Swizzle<3,4,3> over bytes is what
// TMA calls the 128-byte swizzle: eight rows of 128 bytes with their 16-byte chunks permuted.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// A function that changes offsets; {0, 0, 0} leaves them as they are.
struct swizzle {
  u32 bits;   // B: how many bits change
  u32 base;   // M: how many low bits are unchanged
  u32 shift;  // S: distance from the bits that change to those that change them, at least B

  BANKWISE_HD constexpr u32 operator()(u32 offset) const {
    return offset ^ ((offset >> shift) & (((1u << bits) - 1u) << base));
  }
};

// Whether it is a permutation of offsets. If it is, applying it twice returns the offset. If it is not, two elements
// get the same place, so check layouts that come from outside.
BANKWISE_HD constexpr bool is_bijective(swizzle s) {
  return s.shift >= s.bits && s.bits + s.base + s.shift <= 32 && s.shift < 32;
}

}  // namespace bankwise
