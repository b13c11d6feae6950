#include "profile/delays/work_of_warps.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "timing/trace/fewer_sectors.hpp"

namespace bankwise {

namespace {

using runs = std::vector<timing::traced_run>;

// The runs of a warp until a barrier. The last run ends with the barrier.
struct phase {
  runs list;
  std::uint64_t instructions = 0;
  std::uint32_t barrier = 0;
};

// Cuts a run after an instruction. Returns the first part, and leaves the rest in `run`.
timing::traced_run cut_after(const timing::launch_trace& t, timing::traced_run& run, std::uint32_t code) {
  timing::traced_run first = run;
  first.count = code + 1 - run.code;
  first.accesses = 0;
  while (first.accesses < run.accesses && t.accesses[run.first_access + first.accesses].code <= code) ++first.accesses;
  run.count -= first.count;
  run.code = code + 1;
  run.first_access += first.accesses;
  run.accesses = static_cast<std::uint16_t>(run.accesses - first.accesses);
  return first;
}

// Divides the runs of a warp at its barriers. What follows the last barrier stays in `rest`.
std::vector<phase> phases_of(const traced_launch& l, const std::vector<std::uint32_t>& barriers,
                             const timing::traced_warp& w, runs& rest) {
  std::vector<phase> all;
  phase open;
  for (timing::traced_run run : w.runs) {
    for (;;) {
      const auto at = std::lower_bound(barriers.begin(), barriers.end(), run.code);
      if (at == barriers.end() || *at >= run.code + run.count) break;
      const timing::traced_run before = cut_after(l.trace, run, *at);
      open.list.push_back(before);
      open.instructions += before.count;
      open.barrier = *at;
      all.push_back(std::exchange(open, {}));
      if (run.count == 0) break;
    }
    if (run.count == 0) continue;
    open.list.push_back(run);
    open.instructions += run.count;
  }
  rest = std::move(open.list);
  return all;
}

// Whether warps of a block have different tasks on purpose: some of them copy what others compute with.
bool have_tasks(const timing::launch_trace& t) {
  return std::any_of(t.accesses.begin(), t.accesses.end(), [](const timing::traced_access& a) {
    return a.space == timing::memory_space::mbarrier || a.space == timing::memory_space::bulk;
  });
}

class evening {
 public:
  evening(const traced_launch& l, even_work& to) : l_(l), to_(to) {
    for (std::uint32_t i = 0; i < l.code.size(); ++i)
      if (l.is_executed(i) && l.is_barrier(i)) barriers_.push_back(i);
    for (std::uint32_t i = 0; i < l.code.size(); ++i)
      if (l.is_executed(i) && l.is_strong_load(i)) polls_.push_back(i);
  }
  bool has_barriers() const { return !barriers_.empty(); }

  // Divides the work of a block evenly. Does nothing if its warps do not meet at the same barriers.
  void divide(timing::traced_block& b) {
    std::vector<std::vector<phase>> warps;
    std::vector<runs> rests(b.warps.size());
    for (std::size_t w = 0; w < b.warps.size(); ++w) warps.push_back(phases_of(l_, barriers_, b.warps[w], rests[w]));
    for (const auto& phases : warps)
      if (phases.size() != warps[0].size() || phases.empty()) return;
    for (std::size_t n = 0; n < warps[0].size(); ++n) {
      std::vector<phase*> one;
      for (auto& phases : warps) one.push_back(&phases[n]);
      divide(one);
    }
    for (std::size_t w = 0; w < b.warps.size(); ++w) {
      runs& list = b.warps[w].runs;
      list.clear();
      for (const phase& p : warps[w]) list.insert(list.end(), p.list.begin(), p.list.end());
      list.insert(list.end(), rests[w].begin(), rests[w].end());
      b.warps[w].instructions = std::accumulate(list.begin(), list.end(), std::uint64_t{0},
                                                [](std::uint64_t n, const auto& r) { return n + r.count; });
    }
  }

 private:
  // Whether a warp waits for other blocks, as in a scan in one pass. It waits for one after another.
  bool polls(const phase& p) const {
    return std::any_of(p.list.begin(), p.list.end(), [&](const timing::traced_run& r) {
      const auto at = std::lower_bound(polls_.begin(), polls_.end(), r.code);
      return at != polls_.end() && *at < r.code + r.count;
    });
  }
  void divide(const std::vector<phase*>& warps) {
    if (std::any_of(warps.begin(), warps.end(), [&](const phase* p) { return polls(*p); })) return;
    std::uint64_t sum = 0, longest = 0;
    std::uint32_t last = 0;
    for (std::uint32_t w = 0; w < warps.size(); ++w) {
      sum += warps[w]->instructions;
      if (warps[w]->instructions <= longest) continue;
      longest = warps[w]->instructions;
      last = w;
    }
    const std::uint64_t mean = sum / warps.size();
    to_.longest += longest;
    to_.mean += mean;
    barrier_waits& waits = to_.waits[warps[0]->barrier];
    ++waits.times;
    waits.longest += longest;
    waits.mean += mean;
    ++waits.last[last];
    // Warps give their last runs before the barrier to those with less work.
    runs given;
    for (phase* p : warps)
      while (p->list.size() > 1 && p->instructions > mean) {
        const auto run = p->list.end() - 2;
        if (p->instructions - run->count < mean - mean / 8) break;
        p->instructions -= run->count;
        to_.moved[run->code] += run->count;
        given.push_back(*run);
        p->list.erase(run);
      }
    for (phase* p : warps)
      while (!given.empty() && p->instructions + given.back().count / 2 <= mean) {
        p->instructions += given.back().count;
        p->list.insert(p->list.end() - 1, given.back());
        given.pop_back();
      }
    // The warp with the least work gets the rest.
    for (; !given.empty(); given.pop_back()) {
      phase* const least = *std::min_element(
          warps.begin(), warps.end(), [](const phase* a, const phase* b) { return a->instructions < b->instructions; });
      least->instructions += given.back().count;
      least->list.insert(least->list.end() - 1, given.back());
    }
  }

  const traced_launch& l_;
  even_work& to_;
  std::vector<std::uint32_t> barriers_, polls_;
};

}  // namespace

even_work even_work_of(const traced_launch& l) {
  even_work found;
  evening even(l, found);
  if (!even.has_barriers() || have_tasks(l.trace)) return found;
  found.trace = timing::replayed_part(l.trace);
  for (timing::traced_block& b : found.trace.blocks)
    if (!b.is_cut && b.warps.size() > 1) even.divide(b);
  return found;
}

}  // namespace bankwise
