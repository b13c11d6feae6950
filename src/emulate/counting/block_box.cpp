#include "emulate/counting/block_box.hpp"

#include <algorithm>

namespace bankwise::emulate {

void keep_at_least_zero(block_box& box, std::int64_t at_first, const block_factors& by) {
  __extension__ using exact = __int128;
  // The axis along which the value decreases most shrinks first, so that complete rows of blocks remain.
  std::array<int, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return exact{by[a]} * -box.reach(a) > exact{by[b]} * -box.reach(b); });
  for (const int axis : axes) {
    if (by[axis] >= 0 || box.reach(axis) == 0) continue;
    exact others = at_first;
    for (const int i : axes)
      if (i != axis && by[i] < 0) others += exact{by[i]} * box.reach(i);
    const exact steps = others < 0 ? exact{0} : others / -exact{by[axis]};
    if (steps < box.reach(axis)) box.last[axis] = box.first[axis] + static_cast<std::uint32_t>(steps);
  }
}

std::vector<block_box> rest_of(const block_box& whole, const block_box& part) {
  std::vector<block_box> rest;
  block_box left = whole;
  for (int axis = 2; axis >= 0; --axis) {
    if (part.last[axis] == whole.last[axis]) continue;
    block_box& slab = rest.emplace_back(left);
    slab.first[axis] = part.last[axis] + 1;
    left.last[axis] = part.last[axis];
  }
  return rest;
}

}  // namespace bankwise::emulate
