// How wide the loads of an instruction can be made, from the addresses of its lanes. A wider load needs addresses that
// are multiples of its width.
//
//     lanes 16 bytes apart    x, y, z and w of a float4: one load of 16 bytes
//     lanes 44 bytes apart    11 values of each lane: no wider load, because every second lane has an odd number of words
//     lanes 4 bytes apart     a stencil: no wider load
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "expr/names/machine_names.hpp"
#include "model/launch.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

struct wide_load {
  static constexpr std::uint32_t widest = 16;  // bytes
  std::uint32_t most_bytes = widest;           // that a load of a lane can have
  // For a load from shared memory: the wavefronts with 8 and with 16 bytes, divided by those of the instruction as it is.
  std::array<float, 2> wavefronts{1, 1};

  float wavefronts_with(std::uint32_t bytes) const { return wavefronts[bytes > 8 ? 1 : 0]; }
};

// Returns one element for each instruction of the trace. Without a sample of the addresses, nothing limits the width.
std::vector<wide_load> wide_loads_of(const launch_report& r, const timing::launch_trace& t, const machine& on);

}  // namespace bankwise
