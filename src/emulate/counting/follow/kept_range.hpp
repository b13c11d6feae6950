// What cuts the class of blocks to those in which an operand stays in a range, and a comparison comes out as here.
#pragma once

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

inline std::int64_t as_number(std::uint32_t x, bool is_signed) {
  return is_signed ? std::int64_t{static_cast<std::int32_t>(x)} : std::int64_t{x};
}
inline block_factors negated(const block_factors& by) { return {-by[0], -by[1], -by[2]}; }

// The operand stays the number that it is, without its sign bit or a carry coming in between.
void keep_in_range(followed_operation& o, const source& s, bool is_signed);

// ISETP and its kind: the same lanes are let through.
void follow_comparison(followed_operation& o);

}  // namespace bankwise::emulate
