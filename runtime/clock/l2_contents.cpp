#include "runtime/clock/l2_contents.hpp"

#include <algorithm>

namespace bankwise::cuda {

l2_use l2_contents::use(std::vector<used_bytes> what, const l2_size& size) {
  double all = 0, found = 0, new_reads = 0, written = 0;
  for (used_bytes& u : what) {
    double there = 0;
    bool was_written = false;
    const auto it =
        std::find_if(held_.begin(), held_.end(), [&](const used_bytes& h) { return h.address == u.address; });
    if (it != held_.end()) {
      there = static_cast<double>(std::min(it->bytes, u.bytes));
      was_written = it->is_written;
      held_.erase(it);
    }
    const auto bytes = static_cast<double>(u.bytes);
    all += bytes;
    found += there;
    // Bytes that were stored before and are there count already.
    if (u.is_written) written += was_written ? bytes - there : bytes;
    if (u.is_read) new_reads += bytes - there;
    u.is_written |= was_written;
  }
  held_.insert(held_.begin(), what.begin(), what.end());
  double sum = 0;
  const auto too_old = std::find_if(held_.begin(), held_.end(), [&](const used_bytes& h) {
    sum += static_cast<double>(h.bytes);
    return sum > size.bytes;
  });
  held_.erase(too_old, held_.end());
  // New bytes take the places of old ones. Which of these were stored is not known, so each is with the same
  // probability. Stores do not wait for DRAM, but reads do.
  const auto replaced_by = [&](double bytes) {
    return size.bytes > 0 ? stored_ * std::min(1.0, bytes / size.bytes) : 0;
  };
  const l2_use result{all == 0 ? 0 : found / all, replaced_by(new_reads)};
  stored_ = std::min(size.stored_bytes, stored_ - replaced_by(all - found) + written);
  return result;
}

double l2_contents::part_of(const std::vector<used_bytes>& what) const {
  l2_contents copy = *this;
  return copy.use(what, {}).held;
}

}  // namespace bankwise::cuda
