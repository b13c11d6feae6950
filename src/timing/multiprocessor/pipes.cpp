#include "timing/multiprocessor/pipes.hpp"

namespace bankwise::timing {

double pipe_clocks::turn_of(const instruction_cost& c) const {
  if (c.pipe == pipe::memory) return std::max(1.0, address_interval_);
  if (c.pipe == pipe::fma) return std::max(1.0, interval_of(c.pipe, c) / float_pipes_);
  return std::max(1.0, interval_of(c.pipe, c));
}

void pipes_of_quarter::take(const instruction_cost& c, const pipe_clocks& clocks, double warps, double at) {
  if (c.pipe == pipe::none || c.pipe == pipe::memory || c.pipe == pipe::count) return;
  pipe use = c.pipe;
  if (use == pipe::fma)
    use = clocks.has_two_float_pipes() && free_at(pipe::fma_lite) <= free_at(pipe::fma_heavy) ? pipe::fma_lite
                                                                                              : pipe::fma_heavy;
  const double interval = clocks.interval_of(use, c);
  free_at(use) = at + warps * interval;
  busy[static_cast<std::size_t>(use)] += interval;
}

}  // namespace bankwise::timing
