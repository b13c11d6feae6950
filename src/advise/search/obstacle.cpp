// Finds the reason why no layout is better: the fullest bank of the access that loses the most wavefronts. If several
// accesses lose the most, takes the first.
#include "advise/search/obstacle.hpp"

#include "advise/search/evaluator.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise::advise {

obstacle find_obstacle(const problem& p, const evaluator& e, const relayout& layout) {
  obstacle worst;
  std::uint64_t most = 0;
  for (const weighted_access& w : e.accesses()) {
    access moved = w.what;
    const u32 used = lanes_used(w.what);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      moved.address[lane] = (used >> lane & 1) != 0 ? layout(w.what.address[lane]) : 0;
    const u32 now = bankwise::wavefronts(moved, p.on.model), low = layout_floor(w.what, p.on.model);
    const std::uint64_t lost = w.weight * (now > low ? now - low : 0);
    if (lost <= most) continue;
    most = lost;
    const explanation why = explain(moved, p.on.model);
    obstacle o{w.group, 0, 0, 0, now, low, granule_floor(w.what, p.on.model, e.granule()) > low};
    u32 fullest = 0;
    for (u32 i = 0; i < why.wants; ++i) {
      u32 lanes = 0, count = 0;
      for (u32 j = 0; j < why.wants; ++j)
        if (why.want_at[j].phase == why.want_at[i].phase && why.want_at[j].bank == why.want_at[i].bank) {
          lanes |= why.want_at[j].lanes;
          ++count;
        }
      if (count <= fullest) continue;
      fullest = count;
      o.phase = why.want_at[i].phase;
      o.bank = why.want_at[i].bank;
      o.lanes = lanes;
    }
    worst = o;
  }
  return worst;
}

}  // namespace bankwise::advise
