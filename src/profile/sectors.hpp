// How many sectors of global memory a launch asks for: 32 bytes each, what lanes want together in a cache or behind it.
//
//     LDG [R2], lanes 4 bytes apart      4 sectors
//                      128 bytes apart   32
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "bankwise/cp_async_cg.hpp"
#include "emulate/listener.hpp"

namespace bankwise {

// Of loads, stores and atomics of lanes, each sector once an instruction.
class sector_count : public emulate::listener {
 public:
  emulate::wanted_events wants() const override { return {.accesses = false, .asynchronous = false, .global = true}; }
  void on_block(std::uint64_t) override {}
  // Lanes are aligned, and ask for at most 16 bytes: never for two sectors.
  void on_global(const std::uint64_t* address, std::uint32_t mask, unsigned) override {
    std::array<std::uint64_t, lanes_per_warp> touched;
    std::size_t n = 0;
    for (; mask != 0; mask &= mask - 1) touched[n++] = address[std::countr_zero(mask)] / sector_bytes;
    std::sort(touched.begin(), touched.begin() + n);
    sectors_ += static_cast<std::uint64_t>(std::unique(touched.begin(), touched.begin() + n) - touched.begin());
  }
  void add(const sector_count& other) { sectors_ += other.sectors_; }

  std::uint64_t sectors() const { return sectors_; }

 private:
  std::uint64_t sectors_ = 0;
};

}  // namespace bankwise
