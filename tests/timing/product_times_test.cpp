// Tests when tensor cores work, and what the warps that multiply do meanwhile.
#include "timing/multiprocessor/product_times.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(ProductTimes, AWaitCountsOnlyWhileNoProductIsInTheTensorCores) {
  product_times t(true);
  running_warp a, b;
  a.copy_waits = {{0, 100}, {150, 400}};
  t.multiply(b, {50, 80}, 90);
  t.multiply(b, {90, 200}, 210);
  t.multiply(a, {500, 600}, 610);
  EXPECT_EQ(t.sum().waiting, 50 + 10 + 200);
}

TEST(ProductTimes, WarpsThatDoNotMultiplyDoNotCount) {
  product_times t(true);
  running_warp copies, multiplies;
  copies.copy_waits = {{0, 100}};
  t.multiply(multiplies, {200, 300}, 310);
  t.end(copies, 1000);
  t.end(multiplies, 310);
  EXPECT_EQ(t.sum().waiting, 0);
  EXPECT_EQ(t.sum().epilogue, 0);
}

// In a persistent kernel, one warp group stores its tile while the other one multiplies.
TEST(ProductTimes, AnEpilogueCountsOnlyWhileNoOtherWarpMultiplies) {
  product_times t(true);
  running_warp a, b;
  t.multiply(a, {0, 100}, 110);
  t.multiply(b, {100, 200}, 210);
  a.has_stored = true;  // from 110 to 300
  t.multiply(a, {300, 400}, 410);
  t.multiply(b, {400, 500}, 510);  // b has stored nothing
  t.end(a, 450);
  t.end(b, 700);
  EXPECT_EQ(t.sum().epilogue, (300 - 200) + (700 - 510));
}

TEST(ProductTimes, NothingIsCountedWithoutStalls) {
  product_times t(false);
  running_warp a;
  a.copy_waits = {{0, 100}};
  t.multiply(a, {100, 200}, 210);
  t.end(a, 500);
  EXPECT_EQ(t.sum().waiting, 0);
  EXPECT_EQ(t.sum().epilogue, 0);
}

// cp.async, a wait for the copies, and a product of mma.sync. The second round has nothing to wait for.
TEST(ProductTimes, AWarpWaitsForItsOwnCopies) {
  small_launch l;
  l.add({.stall = 2, .pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::LDGSTS});
  l.add({.stall = 2, .write_barrier = 0, .does = behaviour::commit});
  l.add({.stall = 2, .wait_mask = 1, .does = behaviour::scoreboard, .number = 0});
  l.add({.stall = 4, .pipe = pipe::tensor, .interval = 16});
  l.accesses = {in_lines(l, 0, memory_space::global, memory_action::copy, 4, 15)};
  const multiprocessor_run r = l.follow(1, 1);
  EXPECT_NEAR(r.products.waiting, l.gpu.dram_latency, 150);
  EXPECT_LT(r.products.waiting, r.cycles);
  l.accesses.clear();
  EXPECT_EQ(l.follow(1, 1).products.waiting, 0);
}

}  // namespace
}  // namespace bankwise::timing
