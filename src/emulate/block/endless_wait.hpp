// Detects that all warps of a block wait for mbarriers that never complete: they poll the same mbarriers again and
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// A path that has just polled an mbarrier whose phase is not complete.
struct vain_look {
  std::uint32_t lanes = 0, address = 0;
  std::uint64_t pc = 0, word = 0;  // address of the polling instruction, and state of the mbarrier
  std::uint32_t times = 0;         // number of consecutive polls without a change
};

// The state of the mbarrier at an address in the shared memory of the worker's cluster. Nothing if the address is
// outside that memory.
std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address);

class endless_waits {
 public:
  // A sequence of instructions that a path executed, from the first to the last one.
  struct run {
    std::uint64_t first = 0, last = 0;
    std::uint32_t lanes = 0;
  };
  // Call this function after each turn of the worker's warp. `last`: what its path executed last. `instructions`:
  // number of instructions in the turn.
  void note(worker& m, const run& last, std::uint64_t instructions);
  void forget(const warp& w) { looks_.erase(&w); }
  // Whether no warp of the block can continue, and at least one of them polls an mbarrier.
  bool has_all_of(const block_state& block) const;
  // The first mbarrier that the warp waits for. Null if the warp waits for none.
  const vain_look* first_of(const warp& w) const;

 private:
  struct looks_of_warp {
    std::vector<vain_look> of;       // one entry for each path of the warp that polls
    std::uint64_t instructions = 0;  // number of instructions since the last poll
  };
  const micro_op* look_in(const worker& m, const run& last);

  std::unordered_map<const warp*, looks_of_warp> looks_;
  // from the last instruction of a run to its polling instruction; 0 if there is none
  std::unordered_map<std::uint64_t, std::uint64_t> look_of_;
};

}  // namespace bankwise::emulate
