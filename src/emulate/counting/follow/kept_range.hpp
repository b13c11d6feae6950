// Reduces the class to blocks in which an operand stays in a range, or in which a comparison has the same result.
#pragma once

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

inline std::int64_t as_number(std::uint32_t x, bool is_signed) {
  return is_signed ? std::int64_t{static_cast<std::int32_t>(x)} : std::int64_t{x};
}
inline block_factors negated(const block_factors& by) { return {-by[0], -by[1], -by[2]}; }

// Reduces the class to blocks in which the operand does not overflow, so that no sign bit or carry changes its meaning.
void keep_in_range(followed_operation& o, const source& s, bool is_signed);

// For ISETP and similar instructions: reduces the class to blocks in which the condition is true in the same lanes.
void follow_comparison(followed_operation& o);

}  // namespace bankwise::emulate
