#include "timing/multiprocessor/tensor_cores.hpp"

#include <algorithm>

#include "timing/multiprocessor/quarter.hpp"

namespace bankwise::timing {

double multiply(const instruction_cost& c, running_warp& w, pipes_of_quarter& pipes, data_stage& stage,
                const multiprocessor_setup& s, double at) {
  const double read = stage.pass(at, static_cast<double>(c.operand_wavefronts) / quarters::number);
  double& taken = pipes.free_at(pipe::tensor);
  if (!s.free.pipes) taken = std::max(taken, read - s.gpu.product_ahead);
  w.product = std::max(w.product, taken + s.gpu.product_latency);
  if (c.ends_group) w.groups.push_back(w.product);
  return w.product;
}

double end_of_groups(running_warp& w, std::size_t remaining) {
  if (w.groups.size() <= remaining) return 0;
  const auto last_awaited = w.groups.end() - static_cast<std::ptrdiff_t>(remaining) - 1;
  const double end = *last_awaited;
  w.groups.erase(w.groups.begin(), last_awaited + 1);
  return end;
}

}  // namespace bankwise::timing
