#include "profile/code/value_flow.hpp"

#include <algorithm>
#include <array>

namespace bankwise {

namespace {

// Limits for the memories of blocks that have not ended. At least `least_blocks` memories are kept. More memories are
// kept if all of them fit into `most_block_bytes`. The memory of the block with the lowest number is dropped first.
constexpr std::size_t least_blocks = 16, most_block_bytes = std::size_t{1} << 25;

constexpr u32 most_words = 4;  // largest number of words that one lane stores at once

}  // namespace

value_flow::value_flow(u32 bytes, std::uint64_t code_begin, std::uint64_t code_bytes)
    : words_((bytes + 3) / 4), numbers_(code_begin, code_bytes) {}

void value_flow::on_block(std::uint64_t block) {
  block_ = block;
  const auto known = blocks_.find(block);
  if (known != blocks_.end()) {
    now_ = &known->second;
    return;
  }
  memory words = std::move(ended_);
  if (blocks_.size() >= std::max(least_blocks, most_block_bytes / (sizeof(word) * std::max<std::size_t>(words_, 1)))) {
    words = std::move(blocks_.begin()->second);
    blocks_.erase(blocks_.begin());
  }
  words.assign(words_, {});
  now_ = &(blocks_[block] = std::move(words));
}

void value_flow::on_block_end(std::uint64_t times) {
  for (instruction& i : all_) {
    const auto repeat = [&](std::uint64_t passed_values::*m) {
      i.passed.*m += (i.passed.*m - i.at_block_begin.*m) * (times - 1);
    };
    repeat(&passed_values::words);
    repeat(&passed_values::to_other_warps);
    repeat(&passed_values::shuffles);
    i.at_block_begin = i.passed;
  }
  if (now_ != nullptr) ended_ = std::move(*now_);
  blocks_.erase(block_);
  now_ = nullptr;
}

u32 value_flow::number_of(std::uint64_t pc) {
  u32& n = numbers_[pc];
  if (n == 0) {
    n = static_cast<u32>(all_.size());
    all_.push_back({.parent = n});
  }
  return n;
}

u32 value_flow::root_of(u32 n) const {
  while (all_[n].parent != n) n = all_[n].parent;
  return n;
}

void value_flow::join(u32 a, u32 b) {
  u32 low = root_of(a), high = root_of(b);
  if (low == high) return;
  if (low > high) std::swap(low, high);
  all_[high].parent = low;
  // Both instructions now point to the root, so that later searches are short.
  all_[a].parent = all_[b].parent = low;
}

void value_flow::use(u32 who, u32 begin, u32 end, bool reads, bool writes) {
  const std::size_t last = std::min<std::size_t>((end + 3) / 4, now_->size());
  for (std::size_t at = begin / 4; at < last; ++at) {
    word& w = (*now_)[at];
    if (reads && w.owner != 0 && w.owner != who) join(w.owner, who);
    if (writes) w = {.owner = who, .is_value = true};
    if (w.owner == 0) w.owner = who;
  }
}

// Counts the values that an instruction loads, and the values that pass to another warp.
void value_flow::pass(const emulate::shared_access& a, u32 used, u32 who) {
  instruction& load = all_[who];
  const u32 words = std::max(a.what.op.width_bytes / 4u, 1u);
  std::array<u32, lanes_per_warp> stored;
  for (u32 n = 0; n < words; ++n) {
    u32 lanes = 0;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      const std::size_t at = a.what.address[lane] / 4 + n;
      if ((used >> lane & 1) == 0 || at >= now_->size()) continue;
      word& w = (*now_)[at];
      const bool own = w.is_value && w.warp == a.warp;
      load.loads_others |= !own || w.stored == 0;
      stored[lanes++] = w.stored;
      if (!w.is_value) continue;
      passed_values& of = all_[w.owner].passed;
      of.words += !w.passed;
      of.to_other_warps += !own && !w.passed_on;
      w.passed = true;
      w.passed_on |= !own;
    }
    std::sort(stored.begin(), stored.begin() + lanes);
    load.passed.shuffles += std::unique(stored.begin(), stored.begin() + lanes) - stored.begin();
  }
}

// Records which warp wrote each word of the access. Must be called after use().
void value_flow::note_warp(const emulate::shared_access& a, u32 used) {
  const bool plain = a.what.op.kind == op_kind::store;
  registers_ += plain ? most_words : 0;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((used >> lane & 1) == 0) continue;
    const std::size_t begin = a.what.address[lane] / 4, end = (a.what.address[lane] + a.what.op.width_bytes + 3) / 4;
    for (std::size_t at = begin; at < std::min(end, now_->size()); ++at) {
      (*now_)[at].stored = plain ? registers_ + static_cast<u32>(at - begin) : 0;
      (*now_)[at].warp = static_cast<std::uint16_t>(a.warp);
    }
  }
}

void value_flow::on_access(const emulate::shared_access& a) {
  if (now_ == nullptr) return;
  const u32 used = lanes_used(a.what);
  if (used == 0) return;
  const u32 who = number_of(a.pc);
  const op_kind kind = a.what.op.kind;
  const bool loads = kind == op_kind::load || kind == op_kind::ldmatrix;
  const bool stores = kind == op_kind::store || kind == op_kind::stmatrix || kind == op_kind::copy_async ||
                      kind == op_kind::copy_async_cg;
  if (!stores) pass(a, used, who);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((used >> lane & 1) != 0)
      use(who, a.what.address[lane], a.what.address[lane] + a.what.op.width_bytes, !stores, !loads);
  if (!loads) note_warp(a, used);
}

void value_flow::on_async(const emulate::async_event& e) {
  if (now_ == nullptr || !e.done) return;
  const u32 who = number_of(e.pc);
  const bool reads_only = e.what.kind == async_kind::wgmma;
  for (const auto& range : e.touched) use(who, range.begin, range.end, true, !reads_only);
}

void value_flow::add(const value_flow& other) {
  std::vector<u32> mine(other.all_.size());
  for (const auto& [pc, n] : other.numbers_.all())
    if (n != 0) mine[n] = number_of(pc);
  for (const auto& [pc, n] : other.numbers_.all())
    if (n != 0) join(mine[n], mine[other.root_of(n)]);
  for (const auto& [pc, n] : other.numbers_.all()) {
    if (n == 0) continue;
    instruction& i = all_[mine[n]];
    const passed_values& more = other.all_[n].passed;
    i.passed.words += more.words;
    i.passed.to_other_warps += more.to_other_warps;
    i.passed.shuffles += more.shuffles;
    i.loads_others |= other.all_[n].loads_others;
  }
}

passed_values value_flow::passed_by(std::uint64_t pc) const {
  const auto found = numbers_.all().find(pc);
  if (found == numbers_.all().end()) return {};
  passed_values passed = all_[found->second].passed;
  if (all_[found->second].loads_others) passed.shuffles = 0;
  return passed;
}

std::uint32_t value_flow::web_of(std::uint64_t pc) const {
  const auto found = numbers_.all().find(pc);
  return found == numbers_.all().end() ? 0 : root_of(found->second);
}

}  // namespace bankwise
