#include "timing/multiprocessor/mbarriers.hpp"

#include <algorithm>

namespace bankwise::timing {

void mbarriers::await(running_warp& w) {
  const launch_trace& t = *s_.trace;
  const traced_run& r = w.current();
  for (std::uint32_t n = w.access; n < r.accesses; ++n) {
    const traced_access& a = t.accesses[r.first_access + n];
    if (a.code != w.code()) break;
    if (a.space != memory_space::mbarrier || a.does != memory_action::load || a.lines == 0) continue;
    std::uint64_t what = t.lines[a.first_line];
    if (const code_change* const change = s_.change(a.code); change != nullptr && change->stages != 0) {
      const auto earlier = w.changed.earlier_test(*change, what);
      if (!earlier) continue;
      what = *earlier;
    }
    w.tested = &w.block->mbarriers[static_cast<std::uint32_t>(what)];
    w.awaited = static_cast<std::uint32_t>(what >> 32);
    end_wait(w);
  }
}

// Ends the wait of a warp if its mbarrier has seen enough.
void mbarriers::end_wait(running_warp& w) {
  if (w.tested->arrived.size() < w.awaited) return;
  if (w.awaited != 0) {
    const double until = w.tested->arrived[w.awaited - 1];
    stalls_.add(w.code(), stall_reason::long_scoreboard, until - w.earliest);
    if (stalls_.counts() && w.tested->by_copy[w.awaited - 1]) w.copy_waits.push_back({w.earliest, until});
    w.earliest = std::max(w.earliest, until);
  }
  w.tested = nullptr;
}

void mbarriers::arrive_at(resident_block& b, std::uint64_t address, double at, bool is_copy) {
  mbarrier& m = b.mbarriers[static_cast<std::uint32_t>(address)];
  m.arrive(at, is_copy);
  for (running_warp* w : b.warps)
    if (w->tested == &m) {
      end_wait(*w);
      quarters_.look_again();
    }
}

bool mbarriers::is_in_loop(const running_warp& w) const {
  const traced_run& r = w.current();
  for (std::uint32_t n = 0; n < r.accesses; ++n)
    if (s_.cost(s_.trace->accesses[r.first_access + n].code).op == sass::opcode::SYNCS_PHASECHK) return true;
  return false;
}

}  // namespace bankwise::timing
