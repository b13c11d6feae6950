// Follows the waits for mbarriers. Ends a wait for a phase that was complete before another warp initialised the mbarrier
// again: a GPU wakes the waiting warp when the phase completes. Detects that all warps of a block wait for mbarriers that never complete. In this case, every warp is in a loop that
// ends only when a phase completes. Each warp has tested its mbarrier again after the last change of any mbarrier.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The state of the mbarrier at an address in the shared memory of the worker's cluster. Nothing if the address is not
// in this memory.
std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address);

class endless_waits {
 public:
  // Must be called after each turn of the worker's warp.
  void note(worker& m);
  // Must be called after each turn, and before note().
  void end_waits_for_renewed(worker& m, block_state& block);
  void forget(const warp& w) { looks_.erase(&w); }
  // Whether no warp of the block can continue, and at least one warp polls an mbarrier.
  bool has_all_of(const worker& m, const block_state& block);
  // The first mbarrier for which the warp waits. Null if the warp does not wait for an mbarrier.
  const vain_look* first_of(const worker& m, const warp& w);

 private:
  const vain_look* look_of(const worker& m, const warp& w, const path& p);
  bool is_in_loop(const worker& m, const vain_look& l, const path& p);
  const std::vector<std::uint64_t>& loop_after(const worker& m, std::uint64_t look);

  // for each warp: failed looks at mbarriers, by the paths of the warp
  std::unordered_map<const warp*, std::vector<vain_look>> looks_;
  // the key is a pc; the value is the result of phase_wait_at()
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> loop_after_;
};

}  // namespace bankwise::emulate
