// A copy engine of the device: where a copy finds its place between the other copies.
#include "runtime/clock/copy_engine.hpp"

#include <algorithm>

#include "runtime/clock/clock_costs.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_intervals = 1024;  // earlier ones are forgotten

}  // namespace

double copy_engine::time_at(double begin, double nanoseconds, const copy_engine& other) {
  double at = begin, left = nanoseconds;
  for (const interval& o : other.busy_) {
    if (o.end <= at) continue;
    if (o.begin > at) {
      if (left <= o.begin - at) break;
      left -= o.begin - at;
      at = o.begin;
    }
    const double both = o.end - at;
    if (left <= both * costs.both_ways_part) return at + left / costs.both_ways_part - begin;
    left -= both * costs.both_ways_part;
    at = o.end;
  }
  return at + left - begin;
}

copy_engine::interval& copy_engine::add(const instant& ready, double nanoseconds, double issued,
                                        const copy_engine& other) {
  while (!busy_.empty() && (busy_.front().end <= issued || busy_.size() > most_intervals)) {
    // A forgotten copy that has not ended still occupies the engine.
    if (busy_.front().end > issued) full_until_ = std::max(full_until_, busy_.front().end);
    busy_.pop_front();
  }
  instant begin = std::max(ready, full_until_);
  double time = time_at(begin, nanoseconds, other);
  auto next = std::find_if(busy_.begin(), busy_.end(), [&](const interval& i) { return i.end > begin; });
  for (; next != busy_.end() && next->begin < begin + time; ++next) {
    begin = std::max(begin, next->end);
    time = time_at(begin, nanoseconds, other);
  }
  return *busy_.insert(next, {begin, {begin + time}});
}

}  // namespace bankwise::cuda
