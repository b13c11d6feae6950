#include "profile/value_flow.hpp"

#include <algorithm>

namespace bankwise {

namespace {

// Blocks that wait for each other take turns; of more than these the oldest are forgotten, and with them who wrote what.
constexpr std::size_t most_blocks = 16;

}  // namespace

value_flow::value_flow(u32 bytes, std::uint64_t code_begin, std::uint64_t code_bytes)
    : words_((bytes + 3) / 4), numbers_(code_begin, code_bytes) {}

void value_flow::on_block(std::uint64_t block) {
  const auto known = blocks_.find(block);
  if (known != blocks_.end()) {
    now_ = &known->second;
    return;
  }
  owners memory;
  if (blocks_.size() >= most_blocks) {
    memory = std::move(blocks_.begin()->second);
    blocks_.erase(blocks_.begin());
  }
  memory.assign(words_, 0);
  now_ = &(blocks_[block] = std::move(memory));
}

u32 value_flow::number_of(std::uint64_t pc) {
  u32& n = numbers_[pc];
  if (n == 0) {
    n = static_cast<u32>(parent_.size());
    parent_.push_back(n);
  }
  return n;
}

u32 value_flow::root_of(u32 n) const {
  while (parent_[n] != n) n = parent_[n];
  return n;
}

void value_flow::join(u32 a, u32 b) {
  u32 low = root_of(a), high = root_of(b);
  if (low == high) return;
  if (low > high) std::swap(low, high);
  parent_[high] = low;
  // The next look is short.
  parent_[a] = parent_[b] = low;
}

void value_flow::use(u32 who, u32 begin, u32 end, bool reads, bool writes) {
  const std::size_t last = std::min<std::size_t>((end + 3) / 4, now_->size());
  for (std::size_t word = begin / 4; word < last; ++word) {
    u32& owner = (*now_)[word];
    if (reads && owner != 0 && owner != who) join(owner, who);
    if (writes || owner == 0) owner = who;
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
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((used >> lane & 1) != 0)
      use(who, a.what.address[lane], a.what.address[lane] + a.what.op.width_bytes, !stores, !loads);
}

void value_flow::on_async(const emulate::async_event& e) {
  if (now_ == nullptr || !e.done) return;
  const u32 who = number_of(e.pc);
  const bool reads_only = e.what.kind == async_kind::wgmma;
  for (const auto& range : e.touched) use(who, range.begin, range.end, true, !reads_only);
}

void value_flow::add(const value_flow& other) {
  std::vector<u32> mine(other.parent_.size());
  for (const auto& [pc, n] : other.numbers_.all())
    if (n != 0) mine[n] = number_of(pc);
  for (const auto& [pc, n] : other.numbers_.all())
    if (n != 0) join(mine[n], mine[other.root_of(n)]);
}

std::uint32_t value_flow::web_of(std::uint64_t pc) const {
  const auto found = numbers_.all().find(pc);
  return found == numbers_.all().end() ? 0 : root_of(found->second);
}

}  // namespace bankwise
