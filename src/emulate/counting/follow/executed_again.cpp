#include "emulate/counting/follow/executed_again.hpp"

#include <algorithm>
#include <cstdlib>

#include "emulate/counting/follow/kept_range.hpp"

namespace bankwise::emulate {

moved_operands::moved_operands(followed_operation& o, unsigned axis) : o_(o) {
  for (const register_place p : o.flow.reads) {
    const register_form* has = o.form_at(p);
    if (has == nullptr || has->is_part) continue;
    move_by(p, has->lanes, static_cast<std::uint32_t>(has->by[axis]));
  }
}

moved_operands::~moved_operands() {
  for (std::size_t n = rows_.size(); n-- != 0;)
    if (!is_written(places_[n])) o_.write(places_[n], rows_[n].at);
}

void moved_operands::move_by(register_place p, std::uint32_t lanes, std::uint32_t by) {
  places_.push_back(p);
  lane_row& old = rows_.emplace_back();
  o_.read(p, old.at);
  lane_row now = old;
  for (int i = 0; i < 32; ++i) now.at[i] += (lanes >> i & 1) != 0 ? by : 0;
  o_.write(p, now.at);
}

// Whether the operand is also a result. If so, the caller restores it before it runs the instruction again.
bool moved_operands::is_written(register_place p) const {
  return std::any_of(o_.flow.writes.begin(), o_.flow.writes.end(),
                     [&](register_place q) { return q.file == p.file && q.number == p.number; });
}

block_box where_same(followed_operation& o, register_place at, const register_form& f, const held_results& before,
                     const held_results& after, const std::vector<register_place>& results) {
  std::int64_t least = 0, most = 0;
  for (int i = 0; i < 3; ++i) (f.by[i] < 0 ? least : most) += f.by[i] * o.blocks.box().reach(i);
  std::vector<lane_row> here_is(results.size()), further(results.size());
  for (std::size_t n = 0; n < here_is.size(); ++n) o.read(results[n], here_is[n].at);
  const auto same_at = [&](std::int64_t distance) {
    before.put_back();
    const moved_operands there(o, at, f.lanes, static_cast<std::uint32_t>(distance));
    o.execute();
    bool same = true;
    for (std::size_t n = 0; n < further.size() && same; ++n) {
      o.read(results[n], further[n].at);
      const bool is_row = results[n].file == sass::file::vector;
      for (int i = 0; i < (is_row ? 32 : 1); ++i)
        same = same && ((is_row && (o.mask >> i & 1) == 0) || further[n].at[i] == here_is[n].at[i]);
    }
    return same;
  };
  // Returns the largest distance from the current value, from 0 to `end`, at which the results are the same.
  const auto furthest = [&](std::int64_t end) {
    std::int64_t good = 0, bad = end + (end < 0 ? -1 : 1);
    if (end == 0 || same_at(end)) return end;
    bad = end;
    while (std::abs(bad - good) > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (same_at(middle) ? good : bad) = middle;
    }
    return good;
  };
  const std::int64_t up = furthest(most), down = furthest(least);
  after.put_back();
  block_box same = o.blocks.box();
  if (up != most) keep_at_least_zero(same, up, negated(f.by));
  if (down != least) keep_at_least_zero(same, -down, f.by);
  return same;
}

}  // namespace bankwise::emulate
