#include "sass/flow/guarded_places.hpp"

#include <algorithm>

namespace bankwise::sass {

namespace {

bool is_below(const std::pair<guard, places>& one, guard g) { return one.first < g; }

// These avoid the complement of a set, which is a temporary set.
bool has_all(const places& here, const places& there) { return (here & there) == there; }
void take_away(places& from, const places& gone) { from ^= from & gone; }

}  // namespace

const places& guarded_places::where(guard g) const {
  const auto at = std::lower_bound(under_.begin(), under_.end(), g, is_below);
  return g != no_guard && at != under_.end() && at->first == g ? at->second : all_;
}

places* guarded_places::find(guard g) {
  const auto at = std::lower_bound(under_.begin(), under_.end(), g, is_below);
  return at != under_.end() && at->first == g ? &at->second : nullptr;
}

places& guarded_places::entry(guard g) {
  const auto at = std::lower_bound(under_.begin(), under_.end(), g, is_below);
  if (at != under_.end() && at->first == g) return at->second;
  return under_.insert(at, {g, all_})->second;
}

void guarded_places::tidy() {
  if (under_.empty()) return;
  for (auto& [g, p] : under_) p &= all_;
  std::erase_if(under_, [&](const auto& one) { return one.second == all_; });
}

bool guarded_places::add(const guarded_places& other) {
  const bool is_there = has_all(all_, other.all_);
  // Most paths add no places or have no guards.
  if (is_there && std::all_of(under_.begin(), under_.end(),
                              [&](const auto& one) { return has_all(one.second, other.where(one.first)); }))
    return false;
  if (under_.empty() && other.under_.empty()) {
    all_ |= other.all_;
    return true;
  }
  const guarded_places before = *this;
  // If a state has no set for the guard, the set for all lanes is used.
  for (auto& [g, p] : under_) p |= other.where(g);
  for (const auto& [g, p] : other.under_)
    if (find(g) == nullptr) entry(g) |= p;
  all_ |= other.all_;
  tidy();
  return *this != before;
}

bool guarded_places::add(const places& more) {
  guarded_places all;
  all.all_ = more;
  return add(all);
}

void guarded_places::put(guard g, const places& more) {
  if (g != no_guard && !has_all(where(opposite(g)), more)) entry(opposite(g));
  // Most instructions of a loop read places that are needed already.
  if (has_all(all_, more) && std::all_of(under_.begin(), under_.end(), [&](const auto& one) {
        return (g != no_guard && one.first == opposite(g)) || has_all(one.second, more);
      }))
    return;
  all_ |= more;
  for (auto& [other, p] : under_)
    if (g == no_guard || other != opposite(g)) p |= more;
  tidy();
}

void guarded_places::remove(guard g, const places& gone) {
  if (g == no_guard) {
    take_away(all_, gone);
  } else {
    if ((where(g) & gone).any()) take_away(entry(g), gone);
    places here = gone;
    take_away(here, where(opposite(g)));
    take_away(all_, here);
  }
  tidy();
}

void guarded_places::hide(guard g, const places& gone) {
  if (g != no_guard && (where(g) & gone).any()) take_away(entry(g), gone);
}

void guarded_places::mark(guard g, const places& more) {
  for (const guard one : {g, opposite(g)})
    if (g != no_guard && !has_all(where(one), more)) entry(one);
  all_ |= more;
  for (auto& [other, p] : under_)
    if (g == no_guard || (other != g && other != opposite(g))) p |= more;
  tidy();
}

void guarded_places::forget(const places& written) {
  std::erase_if(under_, [&](const auto& one) { return written[place_of(one.first)]; });
}

void guarded_places::assume(guard g) {
  if (g == no_guard) return;
  all_ = places(where(g));
  if (all_.any()) entry(opposite(g)).reset();
  tidy();
}

guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to) {
  guarded_places there = p;
  there.assume(code.held_on_way(from, to));
  return there;
}

}  // namespace bankwise::sass
