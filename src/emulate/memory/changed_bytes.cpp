// Keeps single bytes, because other threads may use the bytes next to them.
#include "emulate/memory/changed_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

namespace bankwise::emulate {

changed_bytes::line& changed_bytes::line_at(std::uintptr_t number) {
  if (last_ == nullptr || last_number_ != number) {
    last_ = &lines_[number];
    last_number_ = number;
  }
  return *last_;
}

void changed_bytes::keep(std::byte* at, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto place = reinterpret_cast<std::uintptr_t>(at + done);
    const std::size_t first = place % line_bytes, count = std::min(line_bytes - first, bytes - done);
    line& l = line_at(place / line_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t& kept = l.kept[(first + i) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (first + i) % 64;
      if ((kept & bit) != 0) continue;
      kept |= bit;
      l.before[first + i] = at[done + i];
    }
    done += count;
  }
}

void changed_bytes::undo() {
  for (auto& [number, l] : lines_) {
    auto* const begin = reinterpret_cast<std::byte*>(number * line_bytes);
    for (std::size_t i = 0; i < line_bytes; ++i)
      if ((l.kept[i / 64] >> i % 64 & 1) != 0) std::swap(begin[i], l.before[i]);
  }
  last_ = nullptr;
}

// The bytes of a line at the end of the rehearsal.
std::array<std::byte, changed_bytes::line_bytes> changed_bytes::after(std::uintptr_t number) const {
  std::array<std::byte, line_bytes> bytes;
  std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(number * line_bytes), line_bytes);
  if (const auto at = lines_.find(number); at != lines_.end())
    for (std::size_t i = 0; i < line_bytes; ++i)
      if ((at->second.kept[i / 64] >> i % 64 & 1) != 0) bytes[i] = at->second.before[i];
  return bytes;
}

namespace {

// Whether two numbers are equal except for rounding. Numbers of unusual size are rather integers than floats.
template <class Float>
bool is_rounded(Float a, Float b) {
  constexpr double least = 1e-18, most = 1e18, rounding = 1e-4;
  const double x = std::abs(static_cast<double>(a)), y = std::abs(static_cast<double>(b));
  if (!(x < most && y < most && (x > least || x == 0) && (y > least || y == 0))) return false;
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= rounding * std::max(x, y);
}

template <class Number>
Number number_at(const std::byte* at) {
  Number n{};
  std::memcpy(&n, at, sizeof n);
  return n;
}

}  // namespace

changed_bytes::difference changed_bytes::compare(const changed_bytes& usual, const changed_bytes& other) {
  std::set<std::uintptr_t> numbers;
  for (const auto* all : {&usual.lines_, &other.lines_})
    for (const auto& [number, l] : *all) numbers.insert(number);
  difference d;
  for (const std::uintptr_t number : numbers) {
    const auto a = usual.after(number), b = other.after(number);
    if (a == b) continue;
    for (std::size_t i = 0; i < line_bytes; ++i) d.bytes += a[i] != b[i] ? 1 : 0;
    for (std::size_t i = 0; i < line_bytes; i += 4) {
      const auto x = number_at<std::uint32_t>(&a[i]), y = number_at<std::uint32_t>(&b[i]);
      if (x == y) continue;
      if (d.first == nullptr) d.first = reinterpret_cast<std::byte*>(number * line_bytes + i), d.usual = x, d.other = y;
      const std::size_t pair = i / 8 * 8;
      d.only_rounding &= is_rounded(number_at<float>(&a[i]), number_at<float>(&b[i])) ||
                         is_rounded(number_at<double>(&a[pair]), number_at<double>(&b[pair]));
    }
  }
  return d;
}

}  // namespace bankwise::emulate
