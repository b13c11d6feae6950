// A range of accessed bytes, from the lowest byte to one past the highest byte.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bankwise {

struct byte_range {
  std::uint32_t begin = ~0u, end = 0;

  bool empty() const { return begin >= end; }
  std::uint32_t bytes() const { return empty() ? 0 : end - begin; }
  void add(std::uint32_t from, std::uint32_t to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
  void add(const byte_range& other) { add(other.begin, other.end); }
};

}  // namespace bankwise
