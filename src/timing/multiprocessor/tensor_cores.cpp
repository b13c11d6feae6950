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

namespace {

bool stores_results(const launch_trace& t, const traced_run& r) {
  for (std::uint32_t n = 0; n < r.accesses; ++n) {
    const traced_access& a = t.accesses[r.first_access + n];
    if (a.does == memory_action::store && (a.space == memory_space::shared || a.space == memory_space::global))
      return true;
  }
  return false;
}

// Whether the warp executes its next instruction again before it stores results, as the code after the loop does. Tests
// of an mbarrier may also be outside of the loop's code.
bool comes_again(const launch_trace& t, const running_warp& w) {
  const std::uint32_t code = w.code();
  for (std::size_t i = w.run + 1; i < w.trace->runs.size(); ++i) {
    const traced_run& r = w.trace->runs[i];
    if (r.code <= code && code < r.code + r.count) return true;
    if (stores_results(t, r)) return false;
  }
  return false;
}

}  // namespace

double end_of_kept_groups(const launch_trace& t, running_warp& w, std::size_t remaining) {
  if (!comes_again(t, w)) return end_of_groups(w, remaining);
  if (w.groups.size() > remaining) w.changed.products_end = w.groups[w.groups.size() - remaining - 1];
  return end_of_groups(w, remaining + 1);
}

}  // namespace bankwise::timing
