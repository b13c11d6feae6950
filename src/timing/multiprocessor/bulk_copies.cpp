#include "timing/multiprocessor/bulk_copies.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

bool is_tensor_copy(const instruction_cost& c) { return c.op != sass::opcode::UBLKCP; }

}  // namespace

double bulk_copies::copy(const instruction_cost& c, const traced_access& a, running_warp& w, double at) {
  const gpu_parameters& p = s_.gpu;
  double begins = at;
  if (!s_.free.latency) begins += (is_tensor_copy(c) ? p.tensor_latency : 0) - p.bulk_earlier;
  if (is_tensor_copy(c) && !s_.free.fetch) {
    const auto [read, is_first] = tensor_maps_.try_emplace(a.code, begins + p.tensor_map_latency);
    begins = std::max(begins, read->second);
  }
  const code_change* const change = s_.change(a.code);
  const memory_system::answer m = memory_.access(*s_.trace, a,
                                                 {.past_l1 = true,
                                                  .copy = w.block->copy,
                                                  .lines = a.lines,
                                                  .saved = p.bulk_saved,
                                                  .copies = true,
                                                  .part = change != nullptr ? change->copied : 1,
                                                  .is_later = w.block->is_later,
                                                  .is_bulk = true},
                                                 begins);
  stage_.count(m.filled / p.l1_fill);  // the data arrive between the accesses of the warps
  // The engine reads shared memory when it sends a line.
  if (a.does == memory_action::store) {
    w.bulk_read = std::max({w.bulk_read, begins + a.lines, m.accepts + p.store_window});
    return begins;
  }
  if (const std::uint64_t tells = s_.trace->after_lines(a); tells != launch_trace::no_mbarrier)
    mbarriers_.arrive_at(*w.block, tells, m.done, true);
  return begins;
}

}  // namespace bankwise::timing
