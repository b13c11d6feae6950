// The texture unit, which the four quarters share.
#pragma once

#include <algorithm>

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/pipes.hpp"
#include "timing/multiprocessor/setup.hpp"

namespace bankwise::timing {

struct texture_unit {
  double free = 0;  // time from which the unit accepts an instruction
  double busy = 0;  // clocks for which it was busy

  // Executes an instruction of a quarter with these pipes. Returns the time at which the result arrives.
  double sample(const instruction_cost& c, pipes_of_quarter& pipes, const multiprocessor_setup& s, double at) {
    free = std::max(free, at) + (s.free.pipes ? 0 : c.interval);
    busy += c.interval;
    pipes.free_at(pipe::texture) = free;
    return free + s.gpu.texture_latency;
  }
};

}  // namespace bankwise::timing
