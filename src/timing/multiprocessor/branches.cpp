#include "timing/multiprocessor/branches.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

// Whether the run that ended is a further turn of an indirect branch (indirect_turns.hpp).
bool is_again(const running_warp& w, const traced_run& r) {
  if (r.count != 1 || w.run < 2) return false;
  const traced_run& before = w.trace->runs[w.run - 2];
  return before.code + before.count != r.code;
}

}  // namespace

double branches::resolved(const running_warp& w, const traced_run& ended, const instruction_cost& c, double next,
                          double at) {
  const gpu_parameters& p = s_.gpu;
  if (c.does == behaviour::indirect)
    return next + (p.branch_redirect + (is_again(w, ended) ? p.indirect_turn : p.indirect_latency));
  if (w.code() != ended.code + ended.count) return next + p.branch_redirect;
  if (c.op == sass::opcode::CALL_ABS || c.op == sass::opcode::CALL_ABS_R)
    return std::max(next, supplied(ended.lanes, at));
  return next;
}

// Calls a function of the driver, such as printf. The calls of all warps of the GPU run one after another.
double branches::supplied(unsigned lanes, double at) {
  const gpu_parameters& p = s_.gpu;
  supplied_free_ = std::max(supplied_free_, at) + (p.supplied_turn + p.supplied_lane * (lanes - 1)) * s_.active;
  return std::max(at + p.supplied_latency, supplied_free_);
}

}  // namespace bankwise::timing
