#include "timing/multiprocessor/barriers.hpp"

#include <algorithm>
#include <utility>

namespace bankwise::timing {

void barriers::arrive(const instruction_cost& c, running_warp& w, double at) {
  const gpu_parameters& p = s_.gpu;
  resident_block& b = *w.block;
  resident_block::barrier& one = b.barriers[c.number % b.barriers.size()];
  were_used_ = true;
  free_ = std::max(at, free_) + p.barrier_interval;
  if (s_.counts_stalls) {
    if (one.arrived == 0) one.first = at, one.sum = 0, one.latest = at;
    one.sum += at;
    if (at >= one.latest) {
      one.latest = at;
      one.code = w.code();
      one.last_warp = static_cast<std::uint32_t>(std::find(b.warps.begin(), b.warps.end(), &w) - b.warps.begin());
    }
  }
  ++one.arrived;
  one.last = std::max(one.last, free_);
  if (c.does == behaviour::barrier && !s_.free.barriers) w.waits = true;
  const unsigned wanted = c.remaining != 0 ? std::min<unsigned>(b.alive, (c.remaining + 31u) / 32) : b.alive;
  if (one.arrived >= wanted) open(b, one, &w);
}

void barriers::leave(resident_block& b) {
  for (auto& one : b.barriers)
    if (one.arrived != 0 && one.arrived >= b.alive) open(b, one, nullptr);
}

void barriers::open(resident_block& b, resident_block::barrier& one, const running_warp* issuing) {
  quarters_.look_again();
  if (s_.counts_stalls && one.arrived > 1) {
    barrier_meetings& m = meetings_[one.code];
    m.code = one.code;
    ++m.times;
    m.waited += one.latest - one.sum / one.arrived;
    m.longest += one.latest - one.first;
    ++m.last[one.last_warp];
  }
  const double at = one.last + s_.gpu.barrier_latency - s_.gpu.barrier_interval;
  for (running_warp* other : b.warps)
    if (other->waits) {
      other->waits = false;
      // The issuing warp arrived last. It has not advanced to its next instruction yet.
      if (other == issuing || !waits_for_barriers(*other->cost)) {
        other->opened = at;
        continue;
      }
      stalls_.add(other->code(), stall_reason::barrier, at - other->earliest);
      other->earliest = std::max(other->earliest, at);
    }
  one = {};
}

std::vector<barrier_meetings> barriers::take_meetings() {
  std::vector<barrier_meetings> list;
  for (auto& [code, m] : meetings_) list.push_back(std::move(m));
  return list;
}

}  // namespace bankwise::timing
