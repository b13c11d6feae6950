#include "sass/flow/guarded_inputs.hpp"

#include <algorithm>

namespace bankwise::sass {

namespace {

auto entry_of(auto& under, guard g) {
  return std::lower_bound(under.begin(), under.end(), g,
                          [](const auto& one, guard other) { return one.first < other; });
}

// Adds the inputs of `more` to `to`. Returns whether any input is new.
bool join_rows(guarded_inputs::row& to, const guarded_inputs::row& more) {
  std::uint8_t added = 0;
  for (std::size_t k = 0; k < to.size(); ++k) {
    added |= static_cast<std::uint8_t>(more[k] & ~to[k]);
    to[k] |= more[k];
  }
  return added != 0;
}

}  // namespace

const guarded_inputs::row& guarded_inputs::where(guard g) const {
  if (g == no_guard || under_.empty()) return all_;
  const auto at = entry_of(under_, g);
  return at != under_.end() && at->first == g ? at->second : all_;
}

guarded_inputs::row& guarded_inputs::entry(guard g) {
  const auto at = entry_of(under_, g);
  if (at != under_.end() && at->first == g) return at->second;
  return under_.insert(at, {g, all_})->second;
}

bool guarded_inputs::add(const guarded_inputs& other) {
  bool grew = false;
  for (auto& [g, here] : under_) grew |= join_rows(here, other.where(g));
  // If only one state has an entry for a guard, the other state's inputs of all lanes are used instead.
  for (const auto& [g, there] : other.under_) {
    const auto at = entry_of(under_, g);
    if (at != under_.end() && at->first == g) continue;
    row sum = all_;
    join_rows(sum, there);
    under_.insert(at, {g, std::move(sum)});
  }
  grew |= join_rows(all_, other.all_);
  std::erase_if(under_, [&](const auto& one) { return one.second == all_; });
  return grew;
}

bool guarded_inputs::add(const row& more) {
  bool grew = join_rows(all_, more);
  for (auto& [g, here] : under_) grew |= join_rows(here, more);
  return grew;
}

void guarded_inputs::write(const guarded_write& w) {
  if (w.under == no_guard) {
    for (const auto& [number, keeps, mask] : w.places) {
      const std::uint8_t left = w.kills && !keeps ? 0 : 0xff, put = w.value & mask;
      all_[number] = static_cast<std::uint8_t>((all_[number] & left) | put);
      for (auto& [g, here] : under_) here[number] = static_cast<std::uint8_t>((here[number] & left) | put);
    }
    return;
  }
  entry(opposite(w.under));
  row& held = entry(w.under);
  const row& others = entry(opposite(w.under));
  // Lanes where the guard is false keep their old values. So the written place also depends on the guard's inputs.
  for (const auto& [number, keeps, mask] : w.places) {
    const std::uint8_t gone = keeps ? 0 : w.kills ? 0xff : static_cast<std::uint8_t>(~w.by_guard);
    const std::uint8_t put = w.value & mask, marked = w.by_guard & mask;
    if (!keeps) held[number] = 0;
    all_[number] &= static_cast<std::uint8_t>(~(gone & ~others[number]));
    for (auto& [g, here] : under_) {
      here[number] &= all_[number];
      if (g != opposite(w.under)) here[number] |= put;
      if (g != opposite(w.under) && g != w.under) here[number] |= marked;
    }
    all_[number] |= put | marked;
  }
}

void guarded_inputs::assume(guard g) {
  if (g == no_guard) return;
  all_ = row(where(g));
  std::erase_if(under_, [&](const auto& one) { return one.first == g; });
  for (auto& [other, here] : under_)
    for (std::size_t k = 0; k < here.size(); ++k) here[k] &= all_[k];
  row& none = entry(opposite(g));
  std::fill(none.begin(), none.end(), 0);
}

}  // namespace bankwise::sass
