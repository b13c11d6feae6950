#include "timing/multiprocessor/stall_counter.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

bool is_far(const traced_access* a) {
  return a != nullptr &&
         (a->space == memory_space::global || a->space == memory_space::local || a->space == memory_space::host);
}

}  // namespace

void stall_counter::add_issue(const issue& i, double at) {
  const double taken = std::min(i.taken, at);
  const double queued = std::max(0.0, taken - i.earliest);
  // The warp waits while other warps use the pipe. An instruction of another warp occupies the pipe for `turn` clocks.
  // For each such instruction, one clock counts as not_selected, because the other warp was selected.
  const double lost = i.follows ? 0 : queued / i.turn;
  add(i.code, i.throttle, queued - lost);
  add(i.code, stall_reason::not_selected, at - std::max(taken, i.earliest) + lost);
  add(i.code, stall_reason::selected, 1);
}

stall_reason waited_for(const instruction_cost& c, const traced_access* a) {
  if (c.does == behaviour::fence) return stall_reason::membar;
  if (c.pipe == pipe::texture || c.does == behaviour::commit) return stall_reason::long_scoreboard;
  return is_far(a) ? stall_reason::long_scoreboard : stall_reason::short_scoreboard;
}

stall_reason throttle_of(const instruction_cost& c, const traced_access* a) {
  // Products of warp groups wait for the tensor cores together, at the first one of them.
  if (c.does == behaviour::matrix_group) return stall_reason::warpgroup_arrive;
  return c.pipe == pipe::memory && is_far(a) ? stall_reason::lg_throttle : row_of(c.pipe).throttle;
}

}  // namespace bankwise::timing
