#include "runtime/clock/l2_contents.hpp"

#include <algorithm>

namespace bankwise::cuda {

double l2_contents::use(const std::vector<used_bytes>& what, double capacity) {
  double all = 0, found = 0;
  for (const used_bytes& u : what) {
    all += static_cast<double>(u.bytes);
    const auto it =
        std::find_if(held_.begin(), held_.end(), [&](const used_bytes& h) { return h.address == u.address; });
    if (it == held_.end()) continue;
    found += static_cast<double>(std::min(it->bytes, u.bytes));
    held_.erase(it);
  }
  held_.insert(held_.begin(), what.begin(), what.end());
  double sum = 0;
  const auto too_old = std::find_if(held_.begin(), held_.end(), [&](const used_bytes& h) {
    sum += static_cast<double>(h.bytes);
    return sum > capacity;
  });
  held_.erase(too_old, held_.end());
  return all == 0 ? 0 : found / all;
}

double l2_contents::part_of(const std::vector<used_bytes>& what) const {
  l2_contents copy = *this;
  return copy.use(what, 0);
}

}  // namespace bankwise::cuda
