// The order of a warp's paths if its lanes compete.
#include "emulate/turns/path_turns.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "emulate/block/paths.hpp"

namespace bankwise::emulate {

namespace {

// Whether the path waits at a barrier that it may pass if other paths yield.
bool may_pass(const warp& w, const path& p) {
  return p.state == path_state::at_bsync && (p.mask & w.kept_by_barrier[p.barrier]) == 0;
}
bool is_ready(const path& p) { return p.state == path_state::ready; }

path* with(warp& w, std::uint32_t lanes) {
  path* found = nullptr;
  for (path& p : w.paths)
    if (is_ready(p) && (p.mask & lanes) != 0) found = &p;
  return found;
}

template <class Where>
path* longest(warp& w, Where where) {
  path* first = nullptr;
  for (path& p : w.paths)
    if (where(p) && (first == nullptr || p.since < first->since)) first = &p;
  return first;
}

// Whether this path has the turn and all other paths wait for their turns. In this case, a further check would change
// nothing.
bool has_turn(const warp& w, const path& here) {
  return here.runs && here.since == 0 && !here.gave_way &&
         std::all_of(w.paths.begin(), w.paths.end(),
                     [&](const path& p) { return &p == &here || (!p.runs && p.since != 0); });
}

void queue(warp& w) {
  for (path& p : w.paths)
    if (p.since == 0) p.since = ++w.queued;
}

}  // namespace

path* running(warp& w) {
  path* last = nullptr;
  for (path& p : w.paths) {
    if (!is_ready(p)) continue;
    if (p.runs) return &p;
    last = &p;
  }
  return last;
}

void next_turn(worker& m, sass::opcode op, std::uint32_t lanes, bool gives_way) {
  warp& w = *m.w;
  if (op != sass::opcode::YIELD && op != sass::opcode::BSSY) w.arrivals.clear();
  // Released paths, and paths for which no lane waits, continue together.
  if (op == sass::opcode::BSYNC && w.takes_turns) {
    std::uint32_t passed = 0;
    for (const path& p : w.paths)
      if (is_ready(p) && (p.mask & lanes) != 0) passed |= p.mask;
    join_ready(w, passed);
  }
  if (!w.takes_turns) return;
  const bool is_whole = m.p >= w.paths.data() && m.p < w.paths.data() + w.paths.size() && m.p->mask == lanes;
  path* const here = is_whole && is_ready(*m.p) ? m.p : with(w, lanes);
  if (here != nullptr && here->exclusive) gives_way = false;
  if (!gives_way && here != nullptr && has_turn(w, *here)) return;
  path* next = here;
  if (gives_way && here != nullptr) {
    queue(w);
    here->since = ++w.queued;
    here->gave_way = true;
    next = longest(w, [&](const path& p) { return &p != here && (is_ready(p) || may_pass(w, p)); });
    if (next == nullptr) next = here;
  } else if (next == nullptr) {
    queue(w);
    next = longest(w, [](const path& p) { return is_ready(p) && !p.gave_way; });
    if (next == nullptr) next = longest(w, [&](const path& p) { return may_pass(w, p); });
    if (next == nullptr) next = longest(w, is_ready);
  }
  if (next == nullptr) return;
  std::uint32_t go = next->mask;
  if (may_pass(w, *next)) {
    empty_barrier(m, next->barrier);
  } else if (next->gave_way && next != here) {
    w.arrivals.clear();
    for (const path& p : w.paths)
      if (is_ready(p) && p.gave_way && p.pc == next->pc) {
        go |= p.mask;
        w.arrivals.push_back(p.mask);
      }
    if (w.arrivals.size() == 1) w.arrivals.clear();
    join_ready(w, go);
  }
  next = with(w, go);
  for (path& p : w.paths) p.runs = &p == next;
  next->since = 0;
  next->gave_way = false;
  for (path& p : w.paths)
    if (&p != next && p.since == 0) p.since = ++w.queued;
}

void order_branch(warp& w, path& stayed, std::uint64_t branch) {
  path& jumped = w.paths.back();
  const bool goes_back = jumped.pc < branch;
  const bool stay_first =
      w.takes_turns ? !goes_back && std::popcount(stayed.mask) < std::popcount(jumped.mask) : goes_back;
  if (stay_first) std::swap(stayed, jumped);
}

}  // namespace bankwise::emulate
