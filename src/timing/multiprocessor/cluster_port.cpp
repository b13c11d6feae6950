#include "timing/multiprocessor/cluster_port.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

// Returns the clocks for which an instruction occupies the port.
double cluster_clocks(const instruction_cost& c, const gpu_parameters& p) {
  switch (sass::traits_of(c.op).action) {
    case sass::action::store: return p.cluster_store_clocks * c.registers;
    case sass::action::update: return p.cluster_update_clocks;
    default: return p.cluster_load_clocks * c.registers;
  }
}

}  // namespace

cluster_port::answer cluster_port::access(const instruction_cost& c, const multiprocessor_setup& s, double at) {
  const double begins = free_ = std::max(free_, at);
  if (!s.free.data_stage) free_ += cluster_clocks(c, s.gpu);
  return {begins, begins + (s.free.latency ? s.gpu.shared_latency : s.gpu.cluster_latency)};
}

bool is_of_cluster(const instruction_cost& c) { return sass::traits_of(c.op).unit == sass::unit::memory; }

}  // namespace bankwise::timing
