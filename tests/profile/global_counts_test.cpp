// Tests the counts of global memory by instruction, for repeated patterns, for blocks that represent other blocks, and
// for stacks.
#include "profile/global_counts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bankwise {
namespace {

using emulate::global_access_event;
using emulate::row_shape;

struct lanes {
  std::array<std::uint64_t, lanes_per_warp> address{};
  std::array<u32, lanes_per_warp> to{};

  global_access_event event(u32 width, u32 mask = full_mask) const {
    global_access_event e;
    e.pc = 16 * width;  // each width has its own instruction
    e.mask = mask;
    e.lanes = lanes_per_warp;
    e.width_bytes = width;
    e.address = address.data();
    return e;
  }
};

template <class F>
lanes lanes_at(F address) {
  lanes all;
  for (u32 i = 0; i < lanes_per_warp; ++i) all.address[i] = address(i);
  return all;
}

// Applies the rule lane by lane.
global_counts plain(const global_access_event& e) {
  global_access a{.mask = e.mask, .width_bytes = e.width_bytes, .past_l1 = e.past_l1};
  std::copy_n(e.address, lanes_per_warp, a.addresses);
  if (e.to != nullptr) std::copy_n(e.to, lanes_per_warp, a.to);
  const global_cost c = cost_of(a);
  return {1, e.lanes, e.mask != 0 ? 1u : 0u, c.sectors, c.sectors_ideal, c.tag_requests, c.bytes};
}

class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : next_(seed) {}
  u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(next_); }
  u32 any() { return std::uniform_int_distribution<u32>()(next_); }

 private:
  std::mt19937 next_;
};

// Returns lanes in a row, at one address, in columns, or at random addresses. Sets `shape` if the emulator would
// recognise the shape.
lanes random_lanes(random_numbers& random, u32 width, row_shape& shape) {
  const std::uint64_t first = 0x7f0000000000 + std::uint64_t{random.below(4096)} * width;
  shape = row_shape::other;
  switch (random.below(4)) {
    case 0: shape = row_shape::side_by_side; return lanes_at([&](u32 i) { return first + i * width; });
    case 1: shape = row_shape::one_place; return lanes_at([&](u32) { return first; });
    case 2: {
      const u32 stride = width * (random.below(40));
      return lanes_at([&](u32 i) { return first + i * stride; });
    }
    default: return lanes_at([&](u32) { return first + std::uint64_t{random.below(256)} * width; });
  }
}

TEST(GlobalCounts, AreThoseOfTheRule) {
  random_numbers random(1);
  global_collector collected;
  global_counts sum;
  for (int n = 0; n < 20000; ++n) {
    const u32 width = 1u << random.below(5);
    row_shape shape;
    lanes at = random_lanes(random, width, shape);
    global_access_event e = at.event(width, random.below(8) == 0 ? 0 : random.below(2) == 0 ? random.any() : full_mask);
    if (e.mask == full_mask) e.shape = shape;
    if (width == 16 && random.below(2) == 0) {
      e.kind = decltype(e.kind)::copy;
      e.past_l1 = true;
      for (u32 i = 0; i < lanes_per_warp; ++i) at.to[i] = 16 * (i ^ random.below(2));
      e.to = at.to.data();
    }
    // Repeats the access, shifted by whole lines.
    for (unsigned again = random.below(3) + 1; again != 0; --again) {
      collected.on_global(e);
      sum += plain(e);
      for (std::uint64_t& a : at.address) a += line_bytes * 3;
    }
  }
  EXPECT_EQ(collected.sum(), sum);
}

TEST(GlobalCounts, AddUpBlocksThatAreFurtherInTheirLines) {
  random_numbers random(2);
  for (int n = 0; n < 300; ++n) {
    global_collector collected(0, 0, true);
    global_counts sum;
    const std::array<std::uint32_t, 3> blocks{1 + random.below(300), 1 + random.below(4), 1 + random.below(3)};
    for (unsigned accesses = 1 + random.below(4); accesses != 0; --accesses) {
      const u32 width = 1u << random.below(5);
      row_shape shape;
      lanes at = random_lanes(random, width, shape);
      global_access_event e = at.event(width);
      e.shape = shape;
      for (auto& by : e.by) by = (std::int64_t{random.below(200)} - 100) * width;
      collected.on_global(e);
      const lanes first = at;
      for (u32 z = 0; z < blocks[2]; ++z)
        for (u32 y = 0; y < blocks[1]; ++y)
          for (u32 x = 0; x < blocks[0]; ++x) {
            for (u32 i = 0; i < lanes_per_warp; ++i)
              at.address[i] = first.address[i] + static_cast<std::uint64_t>(e.by[0] * x + e.by[1] * y + e.by[2] * z);
            sum += plain(e);
          }
    }
    collected.on_alike(blocks);
    collected.on_block_end(std::uint64_t{blocks[0]} * blocks[1] * blocks[2]);
    EXPECT_EQ(collected.sum(), sum) << n;
  }
}

// The stacks of a warp's lanes are interleaved: a word of one lane is next to the same word of the next lane.
TEST(GlobalCounts, OfStacksAreOfWords) {
  const auto sectors = [](u32 width, auto offset) {
    const lanes at = lanes_at(offset);
    global_access_event e = at.event(width);
    e.kind = decltype(e.kind)::local_load;
    const global_cost c = cost_of(e);
    return std::array<u32, 3>{c.sectors, c.sectors_ideal, c.tag_requests};
  };
  EXPECT_EQ(sectors(4, [](u32) { return 8; }), (std::array<u32, 3>{4, 4, 1}));
  EXPECT_EQ(sectors(8, [](u32) { return 8; }), (std::array<u32, 3>{8, 8, 2}));
  EXPECT_EQ(sectors(16, [](u32) { return 16; }), (std::array<u32, 3>{16, 16, 4}));
  EXPECT_EQ(sectors(1, [](u32) { return 3; }), (std::array<u32, 3>{4, 1, 1}));
  EXPECT_EQ(sectors(4, [](u32 i) { return 4 * i; }), (std::array<u32, 3>{32, 4, 32}));
}

}  // namespace
}  // namespace bankwise
