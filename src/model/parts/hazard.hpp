// Accesses to shared memory that no barrier orders, and the kinds of hazards that were searched for.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/parts/place.hpp"

namespace bankwise {

enum class hazard_kind : std::uint8_t { uninitialised, read_after_write, write_after_read, write_after_write };

// Two accesses to a block's shared memory that no barrier orders, or a read of a word that was never written (both
// places are the read's).
struct hazard {
  hazard_kind kind = hazard_kind::uninitialised;
  thread_place first, second;  // the first occurrence in this run, like the members after `count`
  std::uint64_t count = 0;     // warp instructions at the second place that had the hazard
  std::array<std::uint32_t, 3> block{};
  std::uint64_t offset = 0;  // from the start of the kernel's own shared memory
  std::string array;         // array at this address; empty if unknown

  friend bool operator==(const hazard&, const hazard&) = default;
};

// What a run searches for in addition to the costs.
struct checks {
  bool uninitialised = false, races = false;

  bool any() const { return uninitialised || races; }
  friend bool operator==(const checks&, const checks&) = default;
};

}  // namespace bankwise
