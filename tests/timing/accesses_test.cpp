// Tests the accesses of memory instructions.
#include "timing/multiprocessor/accesses.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Accesses, SharedMemoryHasItsLatency) {
  for (const unsigned wavefronts : {1u, 2u, 8u, 32u}) {
    small_launch l;
    l.add(lds(0, 1));
    l.accesses = {{.code = 0, .wavefronts = static_cast<std::uint16_t>(wavefronts)}};
    // An access takes 23 clocks, and each further wavefront takes 2 clocks.
    EXPECT_NEAR(l.run(1, 200) / 200, 23 + 2 * (wavefronts - 1), 0.5) << wavefronts;
  }
}

TEST(Accesses, ConflictsAreFreeIfAskedFor) {
  small_launch l;
  l.add(lds(no_barrier, 0));
  l.accesses = {{.code = 0, .wavefronts = 16}};
  const double as_it_is = l.run(32, 50);
  EXPECT_NEAR(l.run(32, 50, {.conflicts = true}) / as_it_is, 1.0 / 16, 0.02);
}

// Measured on an H200 (data/sm_90/tensor_times.csv): four warps copy 16 bytes for each lane 24 times, and wait. A round
// takes 1,276 clocks if eight lines have two sectors each, and 869 clocks if four lines are whole.
TEST(Accesses, CopiesThatDoNotPassL1TakeClocksForEachLine) {
  const auto clocks = [](unsigned lines, unsigned sectors) {
    small_launch l;
    l.active = 1;
    for (std::uint32_t n = 0; n < 24; ++n) {
      l.add({.pipe = pipe::memory, .does = behaviour::memory, .past_l1 = true, .op = sass::opcode::LDGSTS});
      l.accesses.push_back({.code = n, .does = memory_action::copy, .wavefronts = 4, .bytes = 16});
      l.accesses.push_back(in_lines(l, n, memory_space::global, memory_action::copy, lines, sectors));
    }
    l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::commit});
    l.add({.wait_mask = 1});
    l.add({.does = behaviour::barrier});
    return l.run(4, 64) / 64;
  };
  EXPECT_NEAR(clocks(8, 3), 1276, 0.1 * 1276);
  EXPECT_NEAR(clocks(4, 15), 869, 0.1 * 869);
}

}  // namespace
}  // namespace bankwise::timing
