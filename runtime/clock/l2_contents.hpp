// Which allocations the emulated L2 cache still holds: those that were used last, as far as they fit together. Stored
// bytes stay in L2 until new bytes replace them, and DRAM must then write them back:
//
//     memset of 64 MB    18 MB of its bytes are not yet in DRAM
//     kernel reads 20 MB, half of L2: DRAM also writes 9 MB meanwhile
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bankwise::cuda {

struct used_bytes {
  std::uint64_t address = 0, bytes = 0;  // first address and size of an allocation
  bool is_read = true, is_written = false;
};

struct l2_size {
  double bytes = 0;         // that L2 keeps
  double stored_bytes = 0;  // of them, those that stores left and DRAM does not have
};

struct l2_use {
  double held = 0;          // the part of the used bytes that L2 holds, between 0 and 1
  double written_back = 0;  // bytes that DRAM writes because the operation reads new ones
};

class l2_contents {
 public:
  // Returns what an operation finds. Then notes that its bytes are used.
  l2_use use(std::vector<used_bytes> what, const l2_size& size);
  // Returns the part that L2 holds of these bytes.
  double part_of(const std::vector<used_bytes>& what) const;

 private:
  std::vector<used_bytes> held_;  // the allocation that was used last comes first
  double stored_ = 0;             // bytes that DRAM does not have yet
};

}  // namespace bankwise::cuda
