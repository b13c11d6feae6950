// Tests which lines and sectors the cache keeps.
#include "timing/multiprocessor/sector_cache.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

TEST(SectorCache, FindsWhatWasPlaced) {
  sector_cache c(128 * 1024);
  EXPECT_EQ(c.find(7), nullptr);
  c.place(7).sectors = 5;
  ASSERT_NE(c.find(7), nullptr);
  EXPECT_EQ(c.find(7)->sectors, 5u);
  EXPECT_EQ(c.find(8), nullptr);
}

TEST(SectorCache, KeepsAboutAsMuchAsItHolds) {
  constexpr std::uint64_t lines = 1024;
  sector_cache c(lines * 128);
  for (std::uint64_t line = 0; line < lines; ++line) c.place(line);
  std::uint64_t there = 0;
  for (std::uint64_t line = 0; line < lines; ++line) there += c.find(line) != nullptr;
  EXPECT_GT(there, lines * 8 / 10);
  for (std::uint64_t line = lines; line < 4 * lines; ++line) c.place(line);
  there = 0;
  for (std::uint64_t line = 0; line < lines; ++line) there += c.find(line) != nullptr;
  EXPECT_LT(there, lines / 10);
}

TEST(SectorCache, TheLineThatWasNotUsedGoes) {
  sector_cache c(16 * 128);  // one set
  for (std::uint64_t line = 0; line < 16; ++line) c.place(line);
  c.find(0);
  c.place(16);
  EXPECT_NE(c.find(0), nullptr);
  EXPECT_EQ(c.find(1), nullptr);
}

}  // namespace
}  // namespace bankwise::timing
