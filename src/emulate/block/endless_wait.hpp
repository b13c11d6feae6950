// Notices that all warps of a block wait for mbarriers that never complete: they are in loops that only a complete
// phase ends, and have tested again after the last change of an mbarrier.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The state of the mbarrier at an address in the shared memory of the worker's cluster; nothing outside of that memory.
std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address);

class endless_waits {
 public:
  // After each turn of the worker's warp.
  void note(worker& m);
  void forget(const warp& w) { looks_.erase(&w); }
  // Whether no warp of the block can continue, and at least one looks at an mbarrier.
  bool has_all_of(const worker& m, const block_state& block);
  // The first mbarrier for which the warp waits; null if it does not.
  const vain_look* first_of(const worker& m, const warp& w);

 private:
  const vain_look* look_of(const worker& m, const warp& w, const path& p);
  const std::vector<std::uint64_t>& loop_after(const worker& m, std::uint64_t look);

  std::unordered_map<const warp*, std::vector<vain_look>> looks_;             // the failed tests of mbarriers, by path
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> loop_after_;  // phase_wait.hpp, by pc
};

}  // namespace bankwise::emulate
