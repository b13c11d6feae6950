#include "emulate/memory/written_bytes.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace bankwise::emulate {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// Calls a function for each word of bits that belongs to a range, with the bits of the range. Ends if the function
// returns false.
template <class F>
bool each_word(std::uint64_t offset, std::uint64_t count, F f) {
  for (const std::uint64_t end = offset + count; offset < end;) {
    const std::uint64_t first = offset % 64, here = std::min(64 - first, end - offset);
    const std::uint64_t bits = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << first;
    if (!f(offset / 64, bits)) return false;
    offset += here;
  }
  return true;
}

// The part of a range that is inside of the memory.
std::uint64_t inside(const written_bytes::shadow& s, std::uint64_t address, std::uint64_t count) {
  return std::min(count, s.bytes - (address - s.address));
}

}  // namespace

bool written_bytes::shadow::has_all(std::uint64_t offset, std::uint64_t count) const {
  return each_word(offset, count, [&](std::uint64_t n, std::uint64_t b) { return (bits[n].load(relaxed) & b) == b; });
}

bool written_bytes::shadow::has_any(std::uint64_t offset, std::uint64_t count) const {
  return !each_word(offset, count, [&](std::uint64_t n, std::uint64_t b) { return (bits[n].load(relaxed) & b) == 0; });
}

std::uint64_t written_bytes::shadow::missing(std::uint64_t offset, std::uint64_t count) const {
  std::uint64_t sum = 0;
  each_word(offset, count, [&](std::uint64_t n, std::uint64_t b) {
    sum += static_cast<std::uint64_t>(std::popcount(~bits[n].load(relaxed) & b));
    return true;
  });
  return sum;
}

void written_bytes::shadow::set(std::uint64_t offset, std::uint64_t count) const {
  each_word(offset, count, [&](std::uint64_t n, std::uint64_t b) {
    if ((bits[n].load(relaxed) & b) != b) bits[n].fetch_or(b, relaxed);
    return true;
  });
}

void written_bytes::shadow::clear(std::uint64_t offset, std::uint64_t count) const {
  each_word(offset, count, [&](std::uint64_t n, std::uint64_t b) {
    bits[n].fetch_and(~b, relaxed);
    return true;
  });
}

void written_bytes::follow(std::uint64_t address, std::uint64_t bytes) {
  static_assert(sizeof(word) == 8 && word::is_always_lock_free);
  // calloc is used, because untouched pages then cost nothing.
  auto* const bits = static_cast<word*>(std::calloc(bytes / 64 + 1, sizeof(word)));
  if (bits == nullptr || bytes == 0) return std::free(bits);
  shadow& s = all_[address];
  s.address = address;
  s.bytes = bytes;
  s.cleared = ++last_cleared_;
  s.bits = {bits, [](word* w) { std::free(w); }};
}

const written_bytes::shadow* written_bytes::find(std::uint64_t address) const {
  const auto after = all_.upper_bound(address);
  if (after == all_.begin()) return nullptr;
  const shadow& s = std::prev(after)->second;
  return address - s.address < s.bytes ? &s : nullptr;
}

const written_bytes::shadow* written_bytes::find(std::uint64_t address, std::uint64_t& begin,
                                                 std::uint64_t& end) const {
  const auto after = all_.upper_bound(address);
  end = after == all_.end() ? ~std::uint64_t{0} : after->first;
  begin = 0;
  if (after == all_.begin()) return nullptr;
  const shadow& s = std::prev(after)->second;
  if (address - s.address < s.bytes) return &s;
  begin = s.address + s.bytes;
  return nullptr;
}

void written_bytes::set(std::uint64_t address, std::uint64_t count) {
  if (const shadow* s = find(address)) s->set(address - s->address, inside(*s, address, count));
}

void written_bytes::clear(std::uint64_t address, std::uint64_t count) {
  const shadow* s = find(address);
  if (s == nullptr) return;
  s->cleared = ++last_cleared_;
  s->clear(address - s->address, inside(*s, address, count));
}

std::uint64_t written_bytes::cleared_at(std::uint64_t address) const {
  const shadow* s = find(address);
  return s == nullptr ? 0 : s->cleared.load(relaxed);
}

std::uint64_t written_bytes::missing(std::uint64_t address, std::uint64_t count) const {
  const shadow* s = find(address);
  return s == nullptr ? 0 : s->missing(address - s->address, inside(*s, address, count));
}

void written_bytes::copy(std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  const shadow *source = find(from), *target = find(to);
  if (target == nullptr) return;
  if (source == nullptr) return set(to, count);
  count = std::min(inside(*source, from, count), inside(*target, to, count));
  from -= source->address, to -= target->address;
  // Usually, all bytes have been written.
  if (source->has_all(from, count)) return target->set(to, count);
  target->cleared = ++last_cleared_;
  for (std::uint64_t i = 0; i < count; ++i)
    source->has_all(from + i, 1) ? target->set(to + i, 1) : target->clear(to + i, 1);
}

}  // namespace bankwise::emulate
