// What the emulated L2 cache still holds of the allocations that operations use. An operation uses its data together, from
// their beginnings to their ends, so that a place is still held if no more bytes than fit were used since:
//
//     16 + 16 MB, again and again     all of it is held if 40 MB fit
//     24 + 24 MB, again and again     nothing, because each byte is used again after 48 MB
//     32 MB, then 24 MB, then 32 MB   what the last operation reads after 16 MB, half of it
//
// Stored bytes stay in L2 until new bytes replace them, and DRAM must then write them back:
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
  // Returns the part that an operation with these bytes would find.
  double part_of(const std::vector<used_bytes>& what, const l2_size& size) const;

 private:
  struct held_bytes : used_bytes {
    std::uint64_t operation = 0;  // that used them last
  };
  double part_found(const held_bytes& h, double now, double fits) const;

  std::vector<held_bytes> held_;  // the allocation that was used last comes first
  std::uint64_t operations_ = 0;
  double stored_ = 0;  // bytes that DRAM does not have yet
};

}  // namespace bankwise::cuda
