// Splits, holds and joins the lanes of a warp.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "emulate/block/paths.hpp"

#include "base/format.hpp"
#include "emulate/block/cluster.hpp"
#include "emulate/block/misuse_check.hpp"

namespace bankwise::emulate {

namespace {

bool may_join(const path& p, std::uint32_t lanes) {
  return p.state == path_state::ready && !p.exclusive && (p.mask & lanes) != 0;
}

// Joins the paths of `lanes` that waited for each other and continue at the same address. Other lanes at this address
// stay separate.
void join(warp& w, std::uint32_t lanes) {
  for (std::size_t i = 0; i < w.paths.size(); ++i) {
    if (!may_join(w.paths[i], lanes)) continue;
    for (std::size_t j = i + 1; j < w.paths.size();) {
      if (may_join(w.paths[j], lanes) && w.paths[j].pc == w.paths[i].pc) {
        w.paths[i].mask |= w.paths[j].mask;
        w.paths[i].begin = w.paths[i].pc;
        w.paths.erase(w.paths.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

// The lanes that a waiting path waits for, including its own lanes.
std::uint32_t awaited(const warp& w, const path& p) {
  if (p.state == path_state::at_warpsync) return p.wait_mask & w.alive;
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = p.mask; rest != 0; rest &= rest - 1)
    lanes |= w.convergence[p.barrier][std::countr_zero(rest)];
  return lanes & w.alive;
}

// Whether two waiting paths wait for the same lanes (awaited()). Two paths at the same barrier register may wait for
// different lanes, because a recursive function reuses the register: lanes that wait in an outer call do not join lanes
// that wait in an inner call. A WARPSYNC.COLLECTIVE joins lanes at any WARPSYNC.COLLECTIVE. Any other WARPSYNC only
// joins lanes at the same instruction, as on an H100.
bool meet(const path& a, std::uint32_t awaited_by_a, const path& b, std::uint32_t awaited_by_b) {
  if (a.state != b.state) return false;
  if (a.state == path_state::at_warpsync)
    return a.wait_mask == b.wait_mask && a.here_alone == b.here_alone && (!a.here_alone || a.pc == b.pc);
  return a.barrier == b.barrier && awaited_by_a == awaited_by_b;
}

bool is_complete(const block_state& b, block_barrier& barrier) {
  // If no warp arrives again, a warp whose lanes have all arrived stays complete until the barrier opens. So the search
  // continues at the first warp that was incomplete. If a warp arrives again, arrive() resets `whole_warps`.
  const auto whole = [&](std::size_t i) { return (b.warps[i].alive & ~barrier.arrived[i]) == 0; };
  const bool all = barrier.expected == 0;
  if (all && barrier.again == 0) {
    while (barrier.whole_warps < b.warps.size() && whole(barrier.whole_warps)) ++barrier.whole_warps;
    return barrier.whole_warps == b.warps.size();
  }
  // A warp counts as 32 threads in each arrival, even if some of its threads have ended.
  std::size_t threads = barrier.again;
  for (std::size_t i = 0; i < b.warps.size(); ++i)
    if (whole(i) && (all || barrier.arrived[i] != 0)) threads += 32;
  return threads >= (all ? b.warps.size() * 32 : barrier.expected);
}

// Releases the waiting warps of this warp group that are not ahead of any other warp. A warp is not ahead if every
// other live warp of the group has begun and has executed at least as many products.
void release_group(worker& m) {
  std::vector<warp>& warps = m.block->warps;
  const std::size_t first = m.w->id / 4 * 4, last = std::min(first + 4, warps.size());
  std::uint32_t arrivals = ~0u, products = ~0u;
  bool any = false;
  for (std::size_t i = first; i < last; ++i) {
    if (warps[i].alive == 0) continue;
    arrivals = std::min(arrivals, warps[i].group_arrivals);
    products = std::min(products, warps[i].group_products);
  }
  for (std::size_t i = first; i < last; ++i)
    for (path& p : warps[i].paths)
      if (p.state == path_state::at_group && warps[i].group_arrivals <= arrivals &&
          warps[i].group_products <= products) {
        p.pc += 16;
        p.state = path_state::ready;
        any = true;
      }
  if (any) ++m.releases;
}

}  // namespace

path& split(worker& m, std::uint32_t leaving, std::uint64_t pc) {
  m.p->mask &= ~leaving;
  m.w->paths.push_back({.pc = pc, .mask = leaving, .begin = pc});
  return m.w->paths.back();
}

step branch(worker& m, const micro_op& u, std::uint32_t taken, std::uint64_t target) {
  if (taken == 0) return step::next;
  const std::uint64_t pc = m.pc_of(u);
  if (taken != m.p->mask) {
    if (target == pc + 16) return step::next;
    m.p->pc = m.p->begin = pc + 16;
    split(m, taken, target);
    return step::jumped;
  }
  // The branch does not change its own condition, so the path would loop forever.
  if (target == pc) return m.fail(fault_kind::timeout, "the loop never ends, because a branch jumps to itself", -1, {});
  m.p->pc = target;
  return step::jumped;
}

step yield_lanes(worker& m, const micro_op& u, std::uint32_t mask) {
  if (mask == 0) return step::next;
  warp& w = *m.w;
  if (w.paths.size() == 1) {
    m.yielded = true;
    return step::next;
  }
  if (w.takes_turns) {  // next_turn() in path_turns.hpp chooses the path
    w.yielded = m.yielded = true;
    m.p->pc = m.pc_of(u) + 16;
    return step::moved;
  }
  bool left_any = false;
  for (unsigned n = 0; n < barrier_registers; ++n) {
    row& barrier = w.convergence[n];
    const std::uint32_t leaving = mask & ~w.kept_by_barrier[n];
    // Spinning lanes have already left the barriers in their first iteration.
    std::uint32_t waited_by = 0;
    for (const std::uint32_t lanes : barrier) waited_by |= lanes;
    if (std::exchange(waited_by, 0) == 0) continue;
    for (std::uint32_t rest = leaving; rest != 0; rest &= rest - 1)
      waited_by |= std::exchange(barrier[std::countr_zero(rest)], 0);
    for (std::uint32_t rest = waited_by; rest != 0; rest &= rest - 1) barrier[std::countr_zero(rest)] &= ~leaving;
    left_any |= waited_by != 0;
  }
  w.yielded = m.yielded = true;
  m.p->pc = m.pc_of(u) + 16;
  if (left_any) release_paths(m);
  return step::moved;
}

std::size_t join_ready(warp& w, std::size_t chosen) {
  const std::uint64_t pc = w.paths[chosen].pc;
  std::uint32_t lanes = 0;
  for (const path& p : w.paths)
    if (may_join(p, ~0u) && p.pc == pc) lanes |= p.mask;
  if (lanes == w.paths[chosen].mask || !may_join(w.paths[chosen], lanes)) return chosen;
  join(w, lanes);
  return static_cast<std::size_t>(
      std::find_if(w.paths.begin(), w.paths.end(), [&](const path& p) { return p.mask == lanes; }) - w.paths.begin());
}

void join_ready(warp& w, std::uint32_t lanes) { join(w, lanes); }

void empty_barrier(worker& m, unsigned barrier) {
  std::uint32_t met = 0;
  for (path& p : m.w->paths)
    if (p.state == path_state::at_bsync && p.barrier == barrier) {
      p.pc += 16;
      p.state = path_state::ready;
      met |= p.mask;
    }
  std::fill_n(m.w->convergence[barrier], 32, 0u);
  m.tell(order_kind::meet, met);
  join(*m.w, met);
}

step end_lanes(worker& m, const micro_op& u, std::uint32_t mask) {
  if (mask == 0) return step::next;
  warp& w = *m.w;
  m.tell(order_kind::ended, mask);
  w.alive &= ~mask;
  m.p->mask &= ~mask;
  m.p->pc = m.pc_of(u) + 16;
  if (m.p->mask == 0) w.paths.erase(w.paths.begin() + (m.p - w.paths.data()));
  release_paths(m);
  release_block_barriers(m);
  if (w.alive == 0) release_group(m);
  if (m.block->cluster->waiting != 0) release_cluster_barrier(m);
  return step::moved;
}

namespace {

// Quickly tests whether some waiting path may be released. Usually, the barrier of a path's first lane shows that lanes
// are missing.
bool may_be_complete(const warp& w, std::uint32_t passed) {
  std::array<std::uint32_t, barrier_registers> waiting{};
  for (const path& p : w.paths)
    if (p.state == path_state::at_bsync) waiting[p.barrier] |= p.mask;
  return std::any_of(w.paths.begin(), w.paths.end(), [&](const path& p) {
    if (p.state != path_state::at_bsync) return p.state == path_state::at_warpsync;
    const std::uint32_t needed = w.convergence[p.barrier][std::countr_zero(p.mask)] & w.alive;
    return (needed & ~waiting[p.barrier] & ~passed) == 0;
  });
}

// Releases the first path whose barrier is complete if the lanes in `passed` count as arrived. Returns false if there
// is no such path. `of_reliable`: considers only paths at a BSYNC.RELIABLE.
bool release_complete(worker& m, std::uint32_t passed, bool of_reliable = false) {
  warp& w = *m.w;
  if (!may_be_complete(w, passed)) return false;
  const auto waits = [](const path& p) {
    return p.state == path_state::at_bsync || p.state == path_state::at_warpsync;
  };
  std::array<std::uint32_t, 32> awaited_by;  // for each waiting path: the lanes that it waits for
  for (std::size_t n = 0; n < w.paths.size(); ++n)
    if (waits(w.paths[n])) awaited_by[n] = awaited(w, w.paths[n]);
  std::uint32_t looked_at = 0;  // lanes of the considered paths
  for (std::size_t n = 0; n < w.paths.size(); ++n) {
    const path first = w.paths[n];
    if (!waits(first) || (looked_at & first.mask) != 0) continue;
    if (of_reliable && (first.state != path_state::at_bsync || !first.reliable)) continue;
    const std::uint32_t needed = awaited_by[n];
    const auto meets_first = [&](std::size_t i) { return meet(first, needed, w.paths[i], awaited_by[i]); };
    std::uint32_t here = 0;
    for (std::size_t i = 0; i < w.paths.size(); ++i)
      if (meets_first(i)) here |= w.paths[i].mask;
    if (!of_reliable) looked_at |= here;
    if ((needed & ~here & ~(first.state == path_state::at_bsync ? passed : 0u)) != 0) continue;
    if (!of_reliable && (needed & ~here) != 0) tell_lanes_passed(m, first, here, needed & ~here);
    if (first.state == path_state::at_warpsync) tell_lanes_ended(m, first);
    std::uint32_t met = 0;
    for (std::size_t i = 0; i < w.paths.size(); ++i) {
      path& q = w.paths[i];
      if (!meets_first(i) || (q.mask & (needed | first.mask)) == 0) continue;
      q.pc += 16;
      q.state = path_state::ready;
      met |= q.mask;
    }
    if (first.state == path_state::at_bsync) {
      // The released lanes leave this barrier, so that the lanes in `passed` do not wait for them here.
      for (std::uint32_t rest = needed & ~here; rest != 0; rest &= rest - 1)
        w.convergence[first.barrier][std::countr_zero(rest)] &= ~met;
      for (std::uint32_t rest = met; rest != 0; rest &= rest - 1)
        w.convergence[first.barrier][std::countr_zero(rest)] = 0;
    }
    m.tell(order_kind::meet, met);
    join(w, met);
    // A vote or shuffle that follows needs all lanes on one path: a path that continued alone would change registers that
    // another path's shuffle reads.
    if (first.state == path_state::at_warpsync && first.collective)
      for (path& q : w.paths)
        if ((q.mask & met) != 0) q.exclusive = true;
    return true;
  }
  return false;
}

}  // namespace

void release_paths(worker& m) {
  while (release_complete(m, 0)) {
  }
}

bool pass_those_who_wait(worker& m, warp& w) {
  std::uint32_t at_warpsync = 0, at_bsync = 0;
  for (const path& p : w.paths)
    if (p.state == path_state::at_warpsync)
      at_warpsync |= p.mask;
    else if (p.state == path_state::at_bsync)
      at_bsync |= p.mask;
  m.w = &w;
  if (at_warpsync != 0 && release_complete(m, at_warpsync)) return true;
  return at_bsync != 0 && release_complete(m, at_warpsync | at_bsync, true);
}

step arrive(worker& m, const micro_op& u, std::uint32_t mask, unsigned barrier, std::uint32_t expected, bool wait) {
  block_state& b = *m.block;
  block_barrier& at = b.barriers[barrier];
  if (at.arrived.empty()) {
    at.arrived.assign(b.warps.size(), 0);
    at.expected = expected;
  } else if (at.expected != expected) {
    return m.fail(fault_kind::deadlock,
                  formatted("a warp enters barrier {} with a thread count of {}, but other warps wait at this "
                            "barrier with a thread count of {}",
                            barrier, expected, at.expected),
                  std::countr_zero(mask), {});
  }
  if (m.order != nullptr)
    m.order->on_order(
        {.kind = order_kind::arrive, .warp = m.w->id, .lanes = m.p->mask, .number = barrier, .of_all = expected == 0});
  // A warp that has arrived may arrive again, or wait at the barrier, because the barrier counts arrivals, not warps.
  std::uint32_t& here = at.arrived[m.w->id];
  if ((here & mask) != 0) {
    at.again += 32;
    here = 0;
    at.whole_warps = 0;
  }
  here |= mask;
  const std::uint64_t pc = m.pc_of(u);
  path* waiting = m.p;
  m.p->pc = pc + 16;
  if (wait) {
    if (mask != m.p->mask) waiting = &split(m, mask, pc);
    waiting->pc = pc;
    waiting->state = path_state::at_block;
    waiting->barrier = static_cast<std::uint8_t>(barrier);
  }
  release_block_barrier(m, barrier);
  return step::moved;
}

void release_block_barriers(worker& m) {
  for (unsigned n = 0; n < block_barriers; ++n) release_block_barrier(m, n);
}

void release_block_barrier(worker& m, unsigned n) {
  block_state& b = *m.block;
  block_barrier& barrier = b.barriers[n];
  if (barrier.arrived.empty() || !is_complete(b, barrier)) return;
  if (barrier.expected == 0) tell_barrier_skipped(m, n);
  ++m.releases;
  const auto tell = [&, of_all = barrier.expected == 0](order_kind what, std::uint32_t lanes, const warp& by) {
    if (m.order != nullptr)
      m.order->on_order({.kind = what, .warp = by.id, .lanes = lanes, .number = n, .of_all = of_all});
  };
  const bool flag = barrier.reduction == sass::barrier_reduction::all ? barrier.true_count == barrier.predicates
                                                                      : barrier.true_count != 0;
  for (warp& w : b.warps) {
    std::uint32_t woken = 0;
    for (path& p : w.paths) {
      if (p.state != path_state::at_block || p.barrier != n) continue;
      p.pc += 16;
      p.state = path_state::ready;
      tell(order_kind::leave, p.mask, w);
      woken |= p.mask;
    }
    if (woken == 0) continue;
    w.bar_count = barrier.true_count;
    w.bar_flag = flag;
    join(w, woken);
  }
  tell(order_kind::open, 0, *m.w);
  clear(barrier);
}

step meet_group(worker& m, const micro_op& u, std::uint32_t mask) {
  // A path with only some lanes of its warp does not wait, because it is unknown for what it would wait.
  if (mask == 0 || mask != m.w->alive) return step::next;
  m.p->pc = m.pc_of(u);
  m.p->state = path_state::at_group;
  release_group(m);
  return step::moved;
}

void clear(block_barrier& b) {
  b.arrived.clear();  // does not free the memory
  b.expected = b.again = b.whole_warps = b.true_count = b.predicates = 0;
  b.reduction = {};
}

}  // namespace bankwise::emulate
