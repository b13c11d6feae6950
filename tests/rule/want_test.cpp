// Tests which lanes access one word of a bank, and in which turns words are served.
#include "bankwise/want.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Tests the example in want.hpp.
TEST(Want, LanesShareAWordAndWaitForABank) {
  const u32 address[lanes_per_warp] = {0, 128, 4, 4};
  detail::word_list list;
  list.add(maxwell_model(), address, 0xf, 0, 4, true, 0);
  ASSERT_EQ(list.count, 3u);
  EXPECT_EQ(detail::take_turns(maxwell_model(), list.at, list.count, true), 2u);
  const want expected[] = {{0, 0b0001, 0, 0, 0}, {32, 0b0010, 0, 1, 0}, {1, 0b1100, 1, 0, 0}};
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(list.at[i].word, expected[i].word);
    EXPECT_EQ(list.at[i].lanes, expected[i].lanes);
    EXPECT_EQ(list.at[i].bank, expected[i].bank);
    EXPECT_EQ(list.at[i].turn, expected[i].turn);
  }
}

TEST(Want, LanesThatDoNotShareTakeTurnsOnOneWord) {
  const u32 address[lanes_per_warp] = {0, 0, 0, 4};
  detail::word_list list;
  list.add(maxwell_model(), address, 0xf, 0, 4, false, 0);
  ASSERT_EQ(list.count, 4u);
  EXPECT_EQ(detail::take_turns(maxwell_model(), list.at, list.count, false), 3u);
}

// On Kepler, a bank row has two words, and one turn serves both words.
TEST(Want, WordsOfOneRowComeTogether) {
  const u32 address[lanes_per_warp] = {0, 128, 256};
  detail::word_list list;
  list.add(kepler_model(4), address, 0x7, 0, 4, true, 0);
  EXPECT_EQ(detail::take_turns(kepler_model(4), list.at, list.count, true), 2u);
  EXPECT_EQ(list.at[0].turn, list.at[1].turn);
}

TEST(Want, TheLongestListFits) {
  u32 address[lanes_per_warp] = {};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) address[lane] = lane * 16;
  detail::word_list list;
  list.add(flat_model(128, 1), address, full_mask, 0, 16, true, 0);
  EXPECT_EQ(list.count, most_wants);
}

}  // namespace
}  // namespace bankwise
