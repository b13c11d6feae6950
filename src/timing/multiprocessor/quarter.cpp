#include "timing/multiprocessor/quarter.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

// Whether a quarter prefers warp `a` if both warps can issue at the same time.
bool is_before(const running_warp& a, const running_warp& b, const quarter& q, const gpu_parameters& p) {
  if (&a == q.last || &b == q.last) return &a == q.last && q.may_stay;
  return p.oldest_first != 0 ? a.age < b.age : a.age > b.age;
}

// Returns when a warp can issue its next instruction, or `never` if the warp waits for other warps.
double can_issue(const running_warp& w, const quarter& q, const pipe_clocks& clocks) {
  const instruction_cost& c = *w.cost;
  if ((w.waits && waits_for_barriers(c)) || w.tested != nullptr) return quarter::never;
  return std::max(std::max(w.earliest, q.free), q.taken_until(c, clocks));
}

}  // namespace

void quarter::choose(const gpu_parameters& p, const pipe_clocks& clocks) {
  is_stale = false;
  next_at = never;
  next = nullptr;
  for (running_warp* w : warps) {
    const double at = can_issue(*w, *this, clocks);
    if (at == never) continue;
    if (at < next_at || (at == next_at && is_before(*w, *next, *this, p))) {
      next_at = at;
      next = w;
    }
  }
}

void quarter::remove(running_warp& w) {
  std::erase(warps, &w);
  if (last == &w) last = nullptr;
}

quarters::quarters(const gpu_parameters& p) {
  for (quarter& q : all_) {
    q.queue.leaves.assign(static_cast<std::size_t>(p.memory_queue), 0);
    q.code.assign(static_cast<std::size_t>(p.code_lines_l0), ~0u);
  }
}

quarter* quarters::next(const gpu_parameters& p, const pipe_clocks& clocks) {
  quarter* first = nullptr;
  double at = quarter::never;
  for (quarter& q : all_) {
    if (q.is_stale) q.choose(p, clocks);
    if (q.next_at < at) {
      at = q.next_at;
      first = &q;
    }
  }
  return first;
}

void quarters::place(running_warp& w, std::size_t in_block) {
  quarter* to = &all_[in_block % all_.size()];
  for (quarter& q : all_)
    if (q.warps.size() < to->warps.size()) to = &q;
  to->warps.push_back(&w);
  w.home = to;
}

void quarters::look_again() {
  for (quarter& q : all_) q.is_stale = true;
}

}  // namespace bankwise::timing
