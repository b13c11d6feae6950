// A cache of lines of 128 bytes with 4 sectors each. For each line, the cache stores which sectors are present, and
// when they arrive. In each set, a new line replaces the least recently used line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

class sector_cache {
 public:
  struct entry {
    std::uint64_t line = ~std::uint64_t{0};
    unsigned sectors = 0;
    std::uint64_t used = 0;
    double arrives = 0;  // time at which the last of the sectors arrives
  };
  explicit sector_cache(std::uint64_t bytes) : sets_(std::max<std::uint64_t>(1, bytes / 128 / ways)) {
    entries_.resize(sets_ * ways);
  }
  // Returns the line's entry, or null if the cache does not contain the line.
  entry* find(std::uint64_t line) {
    entry* const set = set_of(line);
    for (unsigned i = 0; i < ways; ++i)
      if (set[i].line == line) {
        set[i].used = ++clock_;
        return &set[i];
      }
    return nullptr;
  }
  // Stores sectors of a line. `e` is the line's entry, or null if the cache does not contain the line.
  void keep(entry* e, std::uint64_t line, unsigned sectors, double arrives) {
    if (e == nullptr) e = &place(line);
    e->sectors |= sectors;
    e->arrives = std::max(e->arrives, arrives);
  }
  entry& place(std::uint64_t line) {
    entry* const set = set_of(line);
    entry* oldest = set;
    for (unsigned i = 1; i < ways; ++i)
      if (set[i].used < oldest->used) oldest = set + i;
    *oldest = {line, 0, ++clock_, 0};
    return *oldest;
  }

 private:
  static constexpr unsigned ways = 16;
  entry* set_of(std::uint64_t line) {
    const std::uint64_t mixed = line * 0x9e3779b97f4a7c15u;
    return entries_.data() + (mixed >> 32) % sets_ * ways;
  }
  std::uint64_t sets_, clock_ = 0;
  std::vector<entry> entries_;
};

}  // namespace bankwise::timing
