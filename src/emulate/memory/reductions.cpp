#include "emulate/memory/reductions.hpp"

#include <algorithm>
#include <cstring>

namespace bankwise::emulate {

namespace {

// Limits for pending reductions. The first limit is for one block. A block with more pending reductions waits until all
// earlier blocks have ended. The second limit is for all ended blocks together.
constexpr std::size_t most_of_block = std::size_t{1} << 20, most_of_all = std::size_t{1} << 22;

void make_all(kept_reductions& kept) {
  for (const reduction& r : kept.list) kept.make(r);
  kept.list.clear();
}

}  // namespace

const reduced_region* reduction_order::find(const region* r) const {
  const auto it =
      std::find_if(regions_.begin(), regions_.end(), [&](const reduced_region& one) { return one.where == r; });
  return it != regions_.end() ? &*it : nullptr;
}

void reduction_order::wait_until_first(std::uint64_t n) {
  std::unique_lock lock(mutex_);
  moved_on_.wait(lock, [&] { return is_first(n); });
}

void reduction_order::end(std::uint64_t n, kept_reductions kept) {
  std::unique_lock lock(mutex_);
  if (!is_first(n)) {
    if (kept_ + kept.list.size() <= most_of_all) {
      kept_ += kept.list.size();
      ended_.emplace(n, std::move(kept));
      return;
    }
    moved_on_.wait(lock, [&] { return is_first(n); });
  }
  // No other thread executes reductions until first_ changes.
  for (;;) {
    lock.unlock();
    make_all(kept);
    lock.lock();
    first_.store(++n, std::memory_order_release);
    moved_on_.notify_all();
    const auto next = ended_.find(n);
    if (next == ended_.end()) return;
    kept = std::move(next->second);
    kept_ -= kept.list.size();
    ended_.erase(next);
  }
}

partial_results::partial_results(const region& of, const sass::memory_access& how, std::uint64_t nothing)
    : of_(&of),
      how_(&how),
      nothing_(nothing),
      bytes_((of.bytes + piece_bytes - 1) / piece_bytes * piece_bytes),
      begun_(bytes_.size() / piece_bytes) {}

void partial_results::begin(std::uint64_t piece) {
  begun_[piece] = 1;
  for (std::uint64_t at = piece * piece_bytes; at < (piece + 1) * piece_bytes; at += how_->bytes)
    std::memcpy(bytes_.data() + at, &nothing_, how_->bytes);
}

partial_results* block_reductions::part_of(const region* r) const {
  for (const auto& part : parts_)
    if (part->of() == r) return part.get();
  return nullptr;
}

partial_results* block_reductions::add_part(partial_results part, result_bringer bring) {
  bring_ = bring;
  return parts_.emplace_back(std::make_unique<partial_results>(std::move(part))).get();
}

void block_reductions::end_worker() {
  for (const auto& part : parts_) bring_(*part);
  parts_.clear();
}

bool block_reductions::is_first() {
  if (!all_->is_first(n_)) return false;
  make_all(kept_);
  return true;
}

void block_reductions::wait_until_first() {
  all_->wait_until_first(n_);
  make_all(kept_);
}

void block_reductions::keep(const reduction& r, reduction_maker make) {
  if (kept_.list.size() == most_of_block) {
    wait_until_first();
    make(r);
    return;
  }
  kept_.make = make;
  kept_.list.push_back(r);
}

}  // namespace bankwise::emulate
