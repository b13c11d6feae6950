// Accesses to shared memory that no barrier orders, and the kinds of hazards that a launch was searched for.
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
  thread_place first, second;  // in the order of this run, the first time, as what follows the count
  std::uint64_t count = 0;     // warp instructions at the second place that had the hazard
  std::array<std::uint32_t, 3> block{};
  std::uint64_t offset = 0;  // from the start of the kernel's own shared memory
  std::string array;         // array at this place; empty if not known

  friend bool operator==(const hazard&, const hazard&) = default;
};

// The searches of a run in addition to the costs.
struct checks {
  bool uninitialised = false, races = false;

  bool any() const { return uninitialised || races; }
  friend bool operator==(const checks&, const checks&) = default;
};

}  // namespace bankwise
