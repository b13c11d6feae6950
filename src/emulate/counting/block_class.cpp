#include "emulate/counting/block_class.hpp"

#include <algorithm>
#include <utility>

namespace bankwise::emulate {

using form = block_class::form;

void block_class::start(const block_box& all, std::size_t warps, const std::vector<followed>* followed) {
  box_ = all;
  if (followed == nullptr) return;
  if (places_ == 0) number_places(*followed);
  forms_.resize(warps);
  for (std::vector<form>& f : forms_) f.assign(places_, form{});
}

void block_class::number_places(const std::vector<struct followed>& all) {
  for (const emulate::followed& f : all)
    for (const auto* named : {&f.reads, &f.writes})
      for (const followed::place p : *named) {
        std::size_t& count = files_[static_cast<std::size_t>(p.file)].count;
        count = std::max<std::size_t>(count, p.number + 1u);
      }
  // The lists of places do not contain guards, so all predicates get a place.
  for (const sass::file f : {sass::file::predicate, sass::file::uniform_predicate})
    files_[static_cast<std::size_t>(f)].count = sass::predicate_true + 1;
  for (file_range& f : files_) {
    f.first = places_;
    places_ += f.count;
  }
}

bool block_class::is_loose(const form& f) const {
  if (f.low == 32) return false;
  for (unsigned i = 0; i < 3; ++i)
    if (f.last[i] < box_.last[i]) return true;
  return false;
}

void block_class::tighten(const form& f) {
  for (unsigned i = 0; i < 3 && f.low != 32; ++i) box_.last[i] = std::min(box_.last[i], f.last[i]);
}

bool block_class::varies(const form& f, std::uint32_t lanes) const {
  if ((f.lanes & lanes) == 0) return false;
  for (int i = 0; i < 3; ++i)
    if (f.by[i] != 0 && box_.reach(i) != 0) return true;
  return is_loose(f);
}

void block_class::set(const warp& w, followed::place p, const form& now) {
  // the list of places contains all written places
  form& f = forms_[w.id][files_[static_cast<std::size_t>(p.file)].first + p.number];
  const std::uint32_t others = f.lanes & ~now.lanes;
  if (others == 0 || !varies(f, others)) {
    f = now;
    if (!varies(now, now.lanes)) f.lanes = 0;
  } else if (!varies(now, now.lanes)) {
    f.lanes = others;
  } else {
    const bool merges = f.by == now.by && f.is_part == now.is_part, exact = f.low == 32 && now.low == 32;
    if (!merges) pin(f);
    const form old = std::exchange(f, now);
    if (!merges) return;
    f.lanes |= others;
    f.alike = exact;
    f.low = std::min(old.low, now.low);
    for (unsigned i = 0; i < 3; ++i) f.last[i] = std::min(old.last[i], now.last[i]);
  }
}

void block_class::pin(const form& f) {
  tighten(f);
  for (unsigned i = 0; i < 3; ++i)
    if (f.by[i] != 0) pin(i);
}

}  // namespace bankwise::emulate
