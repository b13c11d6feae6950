// Tests which bytes count as written.
#include <gtest/gtest.h>

#include "emulate/memory/written_bytes.hpp"

namespace bankwise::emulate {
namespace {

constexpr std::uint64_t here = 0x7000, there = 0x9000;

TEST(WrittenBytes, AreThoseThatWereSet) {
  written_bytes all;
  all.follow(here, 300);
  EXPECT_EQ(all.missing(here, 300), 300u);
  all.set(here + 60, 10);  // in two words of bits
  EXPECT_EQ(all.missing(here, 300), 290u);
  EXPECT_EQ(all.missing(here + 60, 10), 0u);
  const auto* s = all.find(here + 299);
  ASSERT_NE(s, nullptr);
  EXPECT_TRUE(s->has_any(0, 61));
  EXPECT_FALSE(s->has_any(0, 60));
  EXPECT_TRUE(s->has_all(60, 10));
  EXPECT_FALSE(s->has_all(59, 10));
  all.clear(here + 62, 1);
  EXPECT_EQ(all.missing(here + 60, 10), 1u);
}

TEST(WrittenBytes, MemoryThatIsNotFollowedCountsAsWritten) {
  written_bytes all;
  all.follow(here, 16);
  std::uint64_t begin = 0, end = 0;
  EXPECT_EQ(all.find(here + 16, begin, end), nullptr);
  EXPECT_EQ(begin, here + 16);
  EXPECT_EQ(all.find(here - 1, begin, end), nullptr);
  EXPECT_EQ(end, here);
  EXPECT_EQ(all.missing(there, 8), 0u);
  all.forget(here);
  EXPECT_EQ(all.missing(here, 16), 0u);
}

TEST(WrittenBytes, ACopyDoesNotWriteWhatItsSourceLacks) {
  written_bytes all;
  all.follow(here, 64);
  all.follow(there, 64);
  all.set(here, 8);
  all.set(there, 64);
  all.copy(there + 4, here, 16);
  EXPECT_EQ(all.missing(there, 64), 8u);
  EXPECT_EQ(all.missing(there, 12), 0u);
  all.copy(here, 0x100, 64);  // from memory that is not followed
  EXPECT_EQ(all.missing(here, 64), 0u);
}

}  // namespace
}  // namespace bankwise::emulate
