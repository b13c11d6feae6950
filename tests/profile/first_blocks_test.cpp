// Tests a listener that only receives the events of the first blocks. Later blocks run without this listener.
#include "profile/first_blocks.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

struct counter : emulate::listener {
  std::uint64_t blocks = 0, accesses = 0;
  void on_block(std::uint64_t) override { ++blocks; }
  void on_access(const emulate::shared_access&) override { ++accesses; }
  void add(const counter& other) { blocks += other.blocks, accesses += other.accesses; }
};

// A listener that receives repeated accesses as one event.
struct of_repeats : emulate::listener {
  emulate::wanted_events wants() const override { return {.repeats = 128}; }
  void on_block(std::uint64_t) override {}
};

TEST(FirstBlocks, HearsOfTheFirstOnesWhole) {
  of_first_blocks<counter> l(false);
  for (std::uint64_t block = 0; block < 3 * most_first_blocks; ++block) {
    EXPECT_EQ(l.has_enough(), block > most_first_blocks);
    l.on_block(block);
    l.on_access({});
  }
  EXPECT_EQ(l.heard().blocks, most_first_blocks);
  EXPECT_EQ(l.heard().accesses, most_first_blocks);
  EXPECT_TRUE(l.is_cut(3 * most_first_blocks));
}

TEST(FirstBlocks, HearsOfSoManyAccessesOfABlock) {
  of_first_blocks<counter> l(true);
  l.on_block(0);
  for (std::uint64_t i = 0; i < most_accesses_a_block; ++i) l.on_access({});
  EXPECT_FALSE(l.is_cut(1));
  l.on_access({});
  EXPECT_TRUE(l.is_cut(1));
  EXPECT_EQ(l.heard().accesses, most_accesses_a_block);
}

TEST(FirstBlocks, CostsLaterBlocksNothing) {
  of_repeats counts;
  of_first_blocks<counter> looks(false);
  emulate::listener_list list({&counts, &looks});
  EXPECT_EQ(list.repeats(), 0u);
  looks.on_block(0);
  EXPECT_FALSE(list.drop_finished());
  looks.on_block(most_first_blocks);
  EXPECT_TRUE(list.drop_finished());
  EXPECT_EQ(list.repeats(), 128u);
  EXPECT_EQ(list.accesses(), &counts);
  EXPECT_FALSE(list.drop_finished());
}

}  // namespace
}  // namespace bankwise
