#include "timing/multiprocessor/fences.hpp"

#include "timing/multiprocessor/scoreboards.hpp"

namespace bankwise::timing {

double fence_clocks(const instruction_cost& c, const multiprocessor_setup& s) {
  return s.free.latency ? s.gpu.shared_latency : fence_clocks(c, s.gpu);
}

double fence_clocks(const instruction_cost& c, const gpu_parameters& p) {
  constexpr unsigned of_gpu = 2, of_system = 3;
  if (c.op != sass::opcode::MEMBAR || c.number < of_gpu) return p.shared_latency;
  if (c.remaining != 0 && c.number == of_gpu) return p.ordering_latency;
  return c.number == of_system ? p.system_fence_latency : p.fence_latency;
}

bool waits_for_fence(const instruction_cost& c) {
  return c.does == behaviour::fence && c.op == sass::opcode::MEMBAR && c.write_barrier >= scoreboards::number;
}

}  // namespace bankwise::timing
