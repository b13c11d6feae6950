// The mask of zero columns of tcgen05.mma.ws. The mask selects the columns of B that count as zeros.
//
//     61 ... 56    55 ... 48    47 ... 40     39        35 ... 32        31 ... 0
//     shift        used - 1     zeros - 1     exists    begins           columns to skip, a byte for each part
//                                                       with zeros
//
// The N columns are divided into 128 / M parts. In each part, a pattern repeats: `used` columns followed by `zeros`
// columns, or the reverse. Some columns at the start of the pattern are skipped. At least one of the `used` (or
// `zeros`) columns at its start remains (assumed). The manual's table exchanges `used` and `zeros`, but its examples
// agree with this description.
#pragma once

#include <algorithm>

#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

struct column_mask {
  u64 bits = 0;
  unsigned part_columns = 1;

  unsigned shift() const { return static_cast<unsigned>(bits >> 56 & 63); }
  bool is_zero(unsigned column) const {
    if ((bits >> 39 & 1) == 0) return false;
    const unsigned part = column / part_columns;
    const bool begins_with_zeros = (bits >> (32 + part) & 1) != 0;
    const unsigned used = static_cast<unsigned>(bits >> 48 & 255) + 1,
                   zeros = static_cast<unsigned>(bits >> 40 & 255) + 1;
    const unsigned first = begins_with_zeros ? zeros : used;
    const unsigned skipped = std::min(static_cast<unsigned>(bits >> 8 * part & 255), first - 1);
    const unsigned at = (column % part_columns + skipped) % (used + zeros);
    return (at < first) == begins_with_zeros;
  }
};

}  // namespace bankwise::emulate::BANKWISE_ISA
