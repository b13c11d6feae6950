// Which allocations the emulated L2 cache still holds: those that were used last, as far as they fit together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bankwise::cuda {

struct used_bytes {
  std::uint64_t address = 0, bytes = 0;  // first address and size of an allocation
};

class l2_contents {
 public:
  // Returns the part of these bytes that L2 holds, between 0 and 1. Then notes that they are used.
  double use(const std::vector<used_bytes>& what, double capacity);
  // Returns the part that L2 holds of these bytes.
  double part_of(const std::vector<used_bytes>& what) const;

 private:
  std::vector<used_bytes> held_;  // the allocation that was used last comes first
};

}  // namespace bankwise::cuda
