#include "timing/multiprocessor/resident_blocks.hpp"

#include <algorithm>
#include <utility>

namespace bankwise::timing {

resident_block& resident_blocks::begin(double at, quarters& to) {
  at = std::max(at, last_begin_ + gap());
  last_begin_ = at;
  resident_block& b = *blocks_.emplace_back(std::make_unique<resident_block>());
  b.trace = &s_.trace->blocks[s_.blocks[next_].index];
  b.copy = s_.blocks[next_].copy;
  b.number = next_++;
  b.is_later = b.number >= s_.slots;
  b.began = at;
  for (std::size_t w = 0; w < b.trace->warps.size(); ++w) {
    if (b.trace->warps[w].runs.empty()) continue;
    running_warp& made = *warps_.emplace_back(std::make_unique<running_warp>());
    made.trace = &b.trace->warps[w];
    made.block = &b;
    made.age = age_++;
    made.earliest = at + (s_.free.launch ? 0 : s_.gpu.warp_gap * static_cast<double>(w));
    to.place(made, first_quarter_ + w);
    b.warps.push_back(&made);
    ++b.alive;
  }
  // The next block begins where this one ends. If it fills all quarters equally, the next one begins one further.
  const std::size_t warps = b.trace->warps.size();
  first_quarter_ += warps % quarters::number != 0 ? warps : 1;
  return b;
}

void resident_blocks::end(resident_block& b) {
  for (running_warp* w : b.warps) std::erase_if(warps_, [w](const auto& one) { return one.get() == w; });
  std::erase_if(blocks_, [&b](const auto& one) { return one.get() == &b; });
}

bool resident_blocks::release_all() {
  bool any = false;
  for (auto& w : warps_) {
    any |= std::exchange(w->waits, false);
    any |= std::exchange(w->tested, nullptr) != nullptr;
  }
  for (auto& b : blocks_)
    for (auto& one : b->barriers) one.arrived = 0;
  return any;
}

}  // namespace bankwise::timing
