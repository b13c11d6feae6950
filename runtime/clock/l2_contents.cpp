#include "runtime/clock/l2_contents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bankwise::cuda {

// Returns the part of these bytes that L2 holds when an operation that uses `now` bytes comes to them.
double l2_contents::part_found(const held_bytes& h, double now, double fits) const {
  double with = 0, between = 0;
  for (const held_bytes& other : held_) {
    if (other.operation == h.operation) with += static_cast<double>(other.bytes);
    if (other.operation > h.operation) between += static_cast<double>(other.bytes);
  }
  // The bytes that were used since, for the first place and for the last one.
  const double first = with + between, last = between + now, least = std::min(first, last);
  if (std::max(first, last) <= fits) return 1;
  return least > fits ? 0 : (fits - least) / std::abs(last - first);
}

l2_use l2_contents::use(std::vector<used_bytes> what, const l2_size& size) {
  double all = 0, found_bytes = 0, new_reads = 0, written = 0;
  for (const used_bytes& u : what) all += static_cast<double>(u.bytes);
  std::vector<held_bytes> now;
  ++operations_;
  for (used_bytes& u : what) {
    double there = 0;
    bool was_written = false;
    const auto is_same = [&](const held_bytes& h) { return h.address == u.address; };
    if (const auto it = std::find_if(held_.begin(), held_.end(), is_same); it != held_.end()) {
      // An operation that uses less of the data may use any part of them.
      there = part_found(*it, all, size.bytes) * static_cast<double>(std::min(it->bytes, u.bytes));
      was_written = it->is_written && there > 0;
    }
    const auto bytes = static_cast<double>(u.bytes);
    found_bytes += there;
    // Bytes that were stored before and are there count already.
    if (u.is_written) written += was_written ? bytes - there : bytes;
    if (u.is_read) new_reads += bytes - there;
    u.is_written |= was_written;
    now.push_back({u, operations_});
  }
  std::erase_if(held_, [&](const held_bytes& h) {
    return std::any_of(now.begin(), now.end(), [&](const held_bytes& n) { return n.address == h.address; });
  });
  held_.insert(held_.begin(), now.begin(), now.end());
  // What was used before as many bytes as fit is never found.
  double newer = 0;
  const auto too_old = std::find_if(held_.begin(), held_.end(), [&](const held_bytes& h) {
    return std::exchange(newer, newer + static_cast<double>(h.bytes)) > size.bytes && h.operation != operations_;
  });
  held_.erase(too_old, held_.end());
  // New bytes take the places of old ones. Which of these were stored is not known, so each is with the same
  // probability. Stores do not wait for DRAM, but reads do.
  const auto replaced_by = [&](double bytes) {
    return size.bytes > 0 ? stored_ * std::min(1.0, bytes / size.bytes) : 0;
  };
  const l2_use result{all == 0 ? 0 : found_bytes / all, replaced_by(new_reads)};
  stored_ = std::min(size.stored_bytes, stored_ - replaced_by(all - found_bytes) + written);
  return result;
}

double l2_contents::part_of(const std::vector<used_bytes>& what, const l2_size& size) const {
  l2_contents copy = *this;
  return copy.use(what, size).held;
}

}  // namespace bankwise::cuda
