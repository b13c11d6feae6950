#include "profile/memory_checker.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

using emulate::row_shape;
using shadow = emulate::written_bytes::shadow;

// Finds the words of an access that were not written. `is_written(offset)`: whether this byte was written.
template <class F>
memory_checker::missing_words missing_in(std::uint32_t width, F is_written) {
  std::uint32_t words = 0, split = 0, all = 0;
  for (std::uint32_t at = 0; at < width; at += 4) {
    const std::uint32_t word = 1u << at / 4, bytes = std::min(width - at, 4u);
    std::uint32_t written = 0;
    for (std::uint32_t i = 0; i < bytes; ++i) written += is_written(at + i);
    all |= word;
    if (written == 0) words |= word;
    if (written != 0 && written != bytes) split |= word;
  }
  return words == all ? memory_checker::missing_words{.whole = words}
                      : memory_checker::missing_words{.partial = words, .split = split};
}

template <class F>
void each_bit(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

bool reads_memory(global_kind k) {
  return k == global_kind::load || k == global_kind::copy || k == global_kind::atomic || k == global_kind::reduction;
}
bool writes_memory(global_kind k) {
  return k == global_kind::store || k == global_kind::atomic || k == global_kind::reduction;
}

std::string heap_place(std::uint64_t address, const emulate::device_heap::block& b) {
  if (b.bytes == 0) return "no memory of malloc() begins before this address";
  const std::string what = formatted("{} from malloc() in the kernel", count_of(b.bytes, "byte"));
  const std::uint64_t offset = address - b.address;
  if (offset < b.bytes) return formatted("the access begins inside {} and ends outside", what);
  return offset == b.bytes ? formatted("right after the end of {}", what)
                           : formatted("{} after the end of {}", count_of(offset - b.bytes, "byte"), what);
}

}  // namespace

void memory_checker::on_block(std::uint64_t block) {
  block_ = block;
  begin_ = end_ = 0;  // memory may have been freed since the last turn of the block
  shadow_ = nullptr;
}

void memory_checker::on_block_end(std::uint64_t) { stacks_.erase(block_); }

const shadow* memory_checker::shadow_at(std::uint64_t address) {
  if (address >= begin_ && address < end_) return shadow_;
  shadow_ = memory_.written->find(address, begin_, end_);
  if (shadow_ != nullptr) begin_ = shadow_->address, end_ = begin_ + shadow_->bytes;
  return shadow_;
}

memory_checker::seen& memory_checker::note(const key& k, std::uint32_t thread, std::uint64_t address,
                                           std::uint32_t bytes, bool& is_first) {
  seen& s = found_[k];
  is_first = s.count == 0 || block_ < s.block;
  if (is_first) {
    s.block = block_;
    s.thread = thread;
    s.address = address;
    s.bytes = bytes;
  }
  ++s.count;
  return s;
}

// Handles accesses of all lanes to adjacent bytes, if they have no hazard.
bool memory_checker::is_all_known(const emulate::global_access_event& e, bool reads) {
  if (e.mask != ~0u || e.shape == row_shape::other) return false;
  const std::uint64_t count = e.shape == row_shape::one_place ? e.width_bytes : std::uint64_t{32} * e.width_bytes;
  const shadow* const s = shadow_at(e.address[0]);
  if (end_ - e.address[0] < count) return false;
  if (s == nullptr) return true;
  const std::uint64_t offset = e.address[0] - s->address;
  if (reads && !s->has_all(offset, count)) return false;
  if (writes_memory(e.kind)) s->set(offset, count);
  return true;
}

void memory_checker::on_global(const emulate::global_access_event& e) {
  if (e.mask == 0) return;
  if (is_local(e.kind)) {
    if (wanted_.uninitialised) check_local(e);
    return;
  }
  if (wanted_.memory && memory_.heap_address() != 0) check_heap(e);
  const bool reads = reads_memory(e.kind);
  if (!wanted_.uninitialised || memory_.written == nullptr || is_all_known(e, reads)) return;
  seen* noted = nullptr;
  each_bit(e.mask, [&](std::uint32_t lane) {
    const std::uint64_t address = e.address[lane];
    const shadow* const s = shadow_at(address);
    if (s == nullptr || end_ - address < e.width_bytes) return;
    const std::uint64_t offset = address - s->address;
    if (reads && !s->has_all(offset, e.width_bytes)) {
      const missing_words missing =
          missing_in(e.width_bytes, [&](std::uint32_t at) { return s->has_any(offset + at, 1); });
      if (missing) {
        bool is_first = false;
        if (noted == nullptr)
          noted = &note({hazard_kind::uninitialised, hazard_memory::global, e.pc}, e.warp * 32 + lane, address,
                        e.width_bytes, is_first);
        noted->missing.add(missing);
        noted->is_load = e.kind == global_kind::load;
      }
    }
    if (writes_memory(e.kind)) s->set(offset, e.width_bytes);
  });
}

void memory_checker::check_heap(const emulate::global_access_event& e) {
  bool is_noted = false;
  each_bit(e.mask, [&](std::uint32_t lane) {
    const std::uint64_t address = e.address[lane];
    if (is_noted || !memory_.is_heap(address)) return;
    const emulate::device_heap::block b = memory_.heap().last_at(address);
    if (address - b.address < b.bytes && b.bytes - (address - b.address) >= e.width_bytes) return;
    is_noted = true;
    bool is_first = false;
    seen& s = note({hazard_kind::outside_heap_block, hazard_memory::global, e.pc}, e.warp * 32 + lane, address,
                   e.width_bytes, is_first);
    if (is_first) s.detail = heap_place(address, b);
  });
}

void memory_checker::check_local(const emulate::global_access_event& e) {
  std::vector<stack>& all = stacks_[block_];
  seen* noted = nullptr;
  each_bit(e.mask, [&](std::uint32_t lane) {
    const std::uint32_t thread = e.warp * 32 + lane;
    const std::uint64_t offset = e.address[lane];
    constexpr std::uint64_t most_stack = std::uint64_t{1} << 24;
    if (offset >= most_stack) return;
    if (all.size() <= thread) all.resize(thread + 1);
    stack& s = all[thread];
    if (s.size() <= (offset + e.width_bytes) / 64) s.resize((offset + e.width_bytes) / 64 + 1);
    const auto is_set = [&](std::uint64_t at) { return (s[at / 64] >> at % 64 & 1) != 0; };
    if (e.kind == global_kind::local_store) {
      for (std::uint64_t at = offset; at < offset + e.width_bytes; ++at) s[at / 64] |= std::uint64_t{1} << at % 64;
      return;
    }
    const missing_words missing = missing_in(e.width_bytes, [&](std::uint32_t at) { return is_set(offset + at); });
    if (!missing) return;
    bool is_first = false;
    if (noted == nullptr)
      noted = &note({hazard_kind::uninitialised, hazard_memory::local, e.pc}, thread, offset, e.width_bytes, is_first);
    noted->missing.add(missing);
    noted->is_load = true;
  });
}

void memory_checker::on_async(const emulate::async_event& e) {
  if (e.what.kind == async_kind::bulk_copy || e.what.kind == async_kind::tensor_copy) copy_ = e;
}

void memory_checker::on_copied(const emulate::copied_bytes& b) {
  if (b.prefetch != 0 || memory_.written == nullptr || b.bytes == 0) return;
  const shadow* const s = shadow_at(b.address);
  if (s == nullptr) return;
  const std::uint64_t offset = b.address - s->address, count = std::min(b.bytes, s->bytes - offset);
  if (!copy_.what.to_shared) return s->set(offset, count);
  if (s->has_any(offset, count)) return;
  bool is_first = false;
  note({hazard_kind::uninitialised, hazard_memory::global, copy_.pc}, 0, b.address, static_cast<std::uint32_t>(count),
       is_first)
      .missing.whole = 1;
}

void memory_checker::add(const memory_checker& other) {
  for (const auto& [k, from] : other.found_) {
    seen& to = found_[k];
    const seen before = to;
    if (to.count == 0 || from.block < to.block) to = from;
    to.count = before.count + from.count;
    to.missing = before.missing;
    to.missing.add(from.missing);
  }
}

std::map<memory_checker::key, memory_checker::seen> memory_checker::found(loaded_values& code) const {
  std::map<key, seen> needed = found_;
  std::erase_if(needed, [&](const auto& entry) {
    const auto& [kind, memory, pc] = entry.first;
    const seen& s = entry.second;
    if (kind != hazard_kind::uninitialised) return false;
    if (!s.is_load) return s.missing.whole == 0;
    const value_uses uses = code.of_load(pc, memory == hazard_memory::local);
    return (s.missing.whole & uses.anywhere) == 0 && (s.missing.partial & uses.computed) == 0 &&
           (s.missing.split & uses.entirely) == 0;
  });
  return needed;
}

}  // namespace bankwise
