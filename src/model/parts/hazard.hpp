// Hazards are accesses to shared memory that no barrier orders. This file also defines which kinds of hazards a run
// searches for.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/parts/place.hpp"

namespace bankwise {

enum class hazard_kind : std::uint8_t { uninitialised, read_after_write, write_after_read, write_after_write };

// Why the order of two accesses is not defined.
enum class hazard_cause : std::uint8_t {
  no_order,
  in_step,  // the accesses are ordered only because the lanes of a warp execute together: a warning, not an error
  no_async_fence,  // a barrier orders them, but no fence makes a write of a thread visible to a bulk copy
};

// Two accesses to a block's shared memory that no barrier orders, or a read of an unwritten word. For a read of an
// unwritten word, both places are the place of the read.
struct hazard {
  hazard_kind kind = hazard_kind::uninitialised;
  hazard_cause cause = hazard_cause::no_order;
  bool is_warning() const { return cause == hazard_cause::in_step; }
  thread_place first, second;  // places of the first occurrence in this run
  std::uint64_t count = 0;     // number of executions of the instruction at `second` in which the hazard occurred
  std::array<std::uint32_t, 3> block{};
  std::uint64_t offset = 0;  // offset of the first occurrence from the beginning of the kernel's own shared memory
  std::string array;         // name of the array at this offset; empty if unknown

  friend bool operator==(const hazard&, const hazard&) = default;
};

// The kinds of hazards that a run searches for.
struct checks {
  bool uninitialised = false, races = false;

  bool any() const { return uninitialised || races; }
  friend bool operator==(const checks&, const checks&) = default;
};

}  // namespace bankwise
