#include "timing/multiprocessor/barriers.hpp"

#include <algorithm>
#include <utility>

namespace bankwise::timing {

void barriers::arrive(const instruction_cost& c, running_warp& w, double at, unsigned group) {
  const gpu_parameters& p = s_.gpu;
  resident_block& b = *w.block;
  const auto warp = static_cast<unsigned>(std::find(b.warps.begin(), b.warps.end(), &w) - b.warps.begin());
  // The trace does not tell a number in a register. If no warp arrives for others, warps next to each other most likely
  // have the same.
  const bool is_unknown = c.number == named_by_register;
  if (is_unknown && !has_arrivals_) group = (c.remaining + 31u) / 32;
  const unsigned before = group == 0 ? 0 : warp / group;
  const std::size_t number = ((is_unknown ? 0u : c.number) + before) % b.barriers.size();
  resident_block::barrier& one = b.barriers[number];
  one.first_warp = before * group;
  one.group = group;
  were_used_ = true;
  free_ = std::max(at, free_) + p.barrier_interval;
  if (s_.counts_stalls) {
    if (one.arrived == 0) one.first = at, one.sum = 0, one.latest = at;
    one.sum += at;
    if (at >= one.latest) {
      one.latest = at;
      one.code = w.code();
      one.last_warp = warp;
    }
  }
  ++one.arrived;
  one.last = std::max(one.last, free_);
  if (c.does == behaviour::barrier && !s_.free.barriers) {
    w.waits = true;
    w.waits_at = static_cast<std::uint8_t>(number);
  }
  const unsigned alive = b.alive_at(one);
  const unsigned wanted = c.remaining != 0 && group == 0 ? std::min<unsigned>(alive, (c.remaining + 31u) / 32) : alive;
  if (one.arrived >= wanted) open(b, number, &w);
}

void barriers::leave(resident_block& b) {
  for (std::size_t n = 0; n < b.barriers.size(); ++n)
    if (b.barriers[n].arrived != 0 && b.barriers[n].arrived >= b.alive_at(b.barriers[n])) open(b, n, nullptr);
}

void barriers::open(resident_block& b, std::size_t number, const running_warp* issuing) {
  resident_block::barrier& one = b.barriers[number];
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
    if (other->waits && other->waits_at == number) {
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
