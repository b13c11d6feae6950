// Notices that all warps of a block wait for mbarriers that never complete: they look at the same ones again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// A path that has just looked at an mbarrier whose phase is not complete.
struct vain_look {
  std::uint32_t lanes = 0, address = 0;
  std::uint64_t pc = 0, word = 0;  // of the mbarrier
  std::uint32_t times = 0;         // in succession, without a change
};

// The state of the mbarrier at an address in the shared memory of the worker's cluster; nothing outside of that memory.
std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address);

class endless_waits {
 public:
  // Instructions that a path executed one after the other, from the first to the last one.
  struct run {
    std::uint64_t first = 0, last = 0;
    std::uint32_t lanes = 0;
  };
  // After each turn of the worker's warp: what its path executed last, and the number of instructions in the turn.
  void note(worker& m, const run& last, std::uint64_t instructions);
  void forget(const warp& w) { looks_.erase(&w); }
  // Whether no warp of the block can continue, and at least one looks at an mbarrier.
  bool has_all_of(const block_state& block) const;
  // The first mbarrier for which the warp waits; null if it does not.
  const vain_look* first_of(const warp& w) const;

 private:
  struct looks_of_warp {
    std::vector<vain_look> of;       // its paths
    std::uint64_t instructions = 0;  // since the last look
  };
  const micro_op* look_in(const worker& m, const run& last);

  std::unordered_map<const warp*, looks_of_warp> looks_;
  std::unordered_map<std::uint64_t, std::uint64_t> look_of_;  // by the last instruction of a run; 0: it has none
};

}  // namespace bankwise::emulate
