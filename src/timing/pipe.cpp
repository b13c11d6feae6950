#include "timing/pipe.hpp"

namespace bankwise::timing {

std::array<pipe_scale, pipe_count> scales_of(const gpu_parameters& p) {
  constexpr gpu_parameters h100{};  // the parameters of parameters.def
  return {{
#define PIPE(name, times, divided_by, counted, waits, throttle) {times, divided_by},
#include "timing/pipes.def"
  }};
}

}  // namespace bankwise::timing
