// Tests the bytes that a launch needs, as an estimate from some of its blocks.
#include "timing/trace/touched_memory.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>

namespace bankwise::timing {
namespace {

constexpr std::uint64_t array_x = 1 << 20, array_y = 1 << 28;  // addresses of two allocations
constexpr std::uint64_t bytes_of_x = 1 << 20, bytes_of_y = 1 << 16;

allocation find(std::uint64_t address) {
  if (address - array_x < bytes_of_x) return {array_x, bytes_of_x, false};
  if (address - array_y < bytes_of_y) return {array_y, bytes_of_y, false};
  return {};
}

class recorded_blocks {
 public:
  // Adds a block of 1,000 instructions.
  void add(bool is_cut = false) {
    lines_.emplace_back();
    all_.push_back({all_.size(), 1000, is_cut, &lines_.back()});
  }
  // The last block reads bytes at an address, after a number of instructions.
  void read(std::uint64_t address, unsigned bytes, std::uint32_t at = 0) {
    line_of_block& l = lines_.back()[address / 128];
    l.read.add(static_cast<unsigned>(address % 128), bytes);
    l.at = std::min(l.at, at);
  }
  touched_memory sum() const { return touched_memory_of(all_, find); }

 private:
  std::deque<std::unordered_map<std::uint64_t, line_of_block>> lines_;
  std::vector<memory_of_block> all_;
};

TEST(LineBytes, HaveABitForEachByte) {
  line_bytes b{};
  b.add(60, 8);
  EXPECT_EQ(b.count(), 8u);
  EXPECT_EQ(b.bits[0], std::uint64_t{15} << 60);
  EXPECT_EQ(b.bits[1], 15u);
  line_bytes all{};
  all.add(0, 128);
  EXPECT_EQ(all.count(), 128u);
  EXPECT_EQ(all.without(b).count(), 120u);
  b.add(64, 64);
  EXPECT_EQ(b.count(), 68u);
}

TEST(NeededBytes, CountEachByteOnce) {
  recorded_blocks r;
  for (int n = 0; n < 4; ++n) {
    r.add();
    r.read(array_x + 4, 4);  // a word of a sector, by all blocks
    r.read(array_x + 256 + 128 * n, 128);
  }
  const needed_bytes n = needed_bytes_of(r.sum(), 4, 4000);
  EXPECT_EQ(n.read, 4 + 4 * 128);
  EXPECT_EQ(n.written, 0);
  EXPECT_FALSE(n.is_estimated) << "all blocks were recorded";
}

TEST(NeededBytes, GrowIfEachBlockReadsItsOwn) {
  recorded_blocks r;
  for (int n = 0; n < 8; ++n) {
    r.add();
    r.read(array_x + 128 * n, 128);
    r.read(array_y, 64);  // and a table that all of them read
  }
  const needed_bytes n = needed_bytes_of(r.sum(), 800, 0);
  EXPECT_TRUE(n.is_estimated);
  EXPECT_EQ(n.read, 800 * 128 + 64);
  // Half of the later blocks find no work.
  EXPECT_EQ(needed_bytes_of(r.sum(), 800, 400 * 1000).read, 400 * 128 + 64);
}

TEST(NeededBytes, AreNeverMoreThanTheAllocation) {
  recorded_blocks r;
  for (int n = 0; n < 8; ++n) {
    r.add();
    r.read(array_y + 128 * n, 128);
  }
  EXPECT_EQ(needed_bytes_of(r.sum(), 1'000'000, 0).read, bytes_of_y);
}

// A block was recorded for a quarter of its instructions. It reads new bytes all the time, or the same bytes again.
TEST(NeededBytes, GrowWithTheInstructionsOfABlock) {
  recorded_blocks streams, repeats;
  streams.add(true);
  repeats.add(true);
  for (int n = 0; n < 10; ++n) {
    streams.read(array_x + 128 * n, 128, 100 * n);
    repeats.read(array_x + 128 * n, 128, 10 * n);
  }
  EXPECT_EQ(needed_bytes_of(streams.sum(), 1, 4000).read, 40 * 128);
  EXPECT_EQ(needed_bytes_of(repeats.sum(), 1, 4000).read, 10 * 128);
  EXPECT_TRUE(needed_bytes_of(repeats.sum(), 1, 4000).is_estimated);
}

TEST(NeededBytes, OfManyLinesAreCountedInSomeOfThem) {
  recorded_blocks r;
  for (std::uint64_t n = 0; n < 600; ++n) {
    r.add();
    for (std::uint64_t i = 0; i < 1000; ++i) r.read((std::uint64_t{1} << 40) + (n * 1000 + i) * 128, 128);
  }
  const touched_memory m = r.sum();
  EXPECT_TRUE(m.is_sampled);
  ASSERT_EQ(m.regions.size(), 1u);
  EXPECT_EQ(m.regions[0].allocated, std::numeric_limits<double>::infinity()) << "no allocation contains the address";
  EXPECT_NEAR(needed_bytes_of(m, 600, 0).read / (600e3 * 128), 1, 0.02);
}

}  // namespace
}  // namespace bankwise::timing
