// Compares estimates from samples with the counts of complete launches. Nine of ten intervals must contain the count.
#include "profile/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "support/coverage.hpp"
#include "support/examples.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using test::coverage;

// Returns the integral of the density, computed by Simpson's rule.
double probability_above(double t, double degrees) {
  const auto density = [&](double x) {
    return std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(degrees * M_PI) *
           std::pow(1 + x * x / degrees, -(degrees + 1) / 2);
  };
  constexpr int steps = 2000;
  double sum = density(0) + density(t);
  for (int i = 1; i < steps; ++i) sum += density(t * i / steps) * (i % 2 == 0 ? 2 : 4);
  return 0.5 - sum * t / steps / 3;
}

TEST(Estimate, TakesStudentsT) {
  for (std::uint64_t degrees = 1; degrees < 200; ++degrees)
    EXPECT_NEAR(probability_above(students_t(degrees), static_cast<double>(degrees)), 0.05, 2e-4) << degrees;
}

// Returns the strata of a column of 100 blocks. The first and the last block are executed, and 10 of the 98 blocks
// between them.
constexpr block_strata column() {
  block_strata s;
  s.sizes = {1, 98, 1};
  s.ran = {1, 10, 1};
  return s;
}
class_sums sums_of(const std::vector<std::vector<std::uint64_t>>& classes) {
  class_sums all;
  for (unsigned c = 0; c < classes.size(); ++c)
    for (const std::uint64_t n : classes[c]) all[c].add(n);
  return all;
}

TEST(Estimate, CountsEachClassAsOftenAsItHasBlocks) {
  const auto e = estimate_of(column(), sums_of({{1000}, std::vector<std::uint64_t>(10, 7), {500}}));
  EXPECT_EQ(e.value, 1000u + 98 * 7 + 500);
  EXPECT_LT(e.within.low, e.value);
  EXPECT_GE(e.within.low, 1000u + 70 + 500);  // at least the counts of the executed blocks
  EXPECT_GT(e.within.high, e.value);
}

TEST(Estimate, IsExactWhereAllRan) {
  block_strata all = column();
  all.ran = all.sizes;
  class_sums sums = sums_of({{3}, std::vector<std::uint64_t>(97, 5), {4}});
  const auto e = estimate_of(all, sums);
  EXPECT_EQ(e.value, 3u + 97 * 5 + 4);
  EXPECT_EQ(e.within, (interval{e.value, e.value}));
}

TEST(Estimate, OfNothingIsNothing) {
  EXPECT_EQ(estimate_of({}, {}).value, 0u);
  const auto e = estimate_of(column(), {});
  EXPECT_EQ(e.value, 0u);
  EXPECT_EQ(e.within, interval{});
}

// If blocks differ more, the interval is wider. If more blocks are executed, the interval is narrower.
TEST(Estimate, FollowsTheVariance) {
  const auto width = [](const std::vector<std::uint64_t>& middle, std::uint64_t blocks) {
    block_strata s;
    s.sizes = {1, blocks, 1};
    s.ran = {1, middle.size(), 1};
    const auto e = estimate_of(s, sums_of({{10}, middle, {10}}));
    return e.within.high - e.within.low;
  };
  const std::vector<std::uint64_t> equal(10, 10), apart = {0, 20, 0, 20, 0, 20, 0, 20, 0, 20};
  EXPECT_LT(width(equal, 1000), width(apart, 1000));
  std::vector<std::uint64_t> many = apart;
  for (int i = 0; i < 3; ++i) many.insert(many.end(), many.begin(), many.begin() + static_cast<long>(many.size()));
  EXPECT_LT(2 * width(many, 1000), width(apart, 1000));
  EXPECT_LT(2 * width(many, 90), width(many, 1000));
}

// If no block of a class was executed, the class is assumed to equal the other classes.
TEST(Estimate, ReachesClassesThatDidNotRun) {
  block_strata s = column();
  s.ran = {0, 10, 0};
  EXPECT_EQ(estimate_of(s, sums_of({{}, std::vector<std::uint64_t>(10, 7)})).value, 700u);
}

TEST(Estimate, StaysWithinWhatAReportHolds) {
  block_strata s;
  s.sizes = {1, std::uint64_t{1} << 62, 1};
  s.ran = {1, 10, 1};
  const std::uint64_t most = std::uint64_t{1} << 48;
  const auto e = estimate_of(s, sums_of({{1u << 30}, std::vector<std::uint64_t>(10, 1u << 30), {1u << 30}}));
  EXPECT_EQ(e.value, most);
  EXPECT_LE(e.within.low, most);
  EXPECT_EQ(e.within.high, most);
}

struct question {
  test::kernel_launch launch;
  std::uint64_t blocks() const { return blocks_of(launch.grid); }
};

std::vector<question> uneven(std::uint64_t seed) {
  const std::string cubin = "tests/kernels/uneven.cubin";
  const auto random = [&](const std::string& size) { return "u32[" + size + "]=random:" + std::to_string(seed); };
  return {
      {{.cubin = cubin,
        .kernel = "sparse_rows",
        .grid = {600, 1, 1},
        .block = {64, 1, 1},
        .arguments = {"out:f32[38400]", random("600"), random("65536")}}},
      {{.cubin = cubin,
        .kernel = "sorts",
        .grid = {128, 1, 1},
        .block = {256, 1, 1},
        .arguments = {"out:u32[32768]", random("32768"), "u32=3"}}},
      {{.cubin = cubin,
        .kernel = "counts_cells",
        .grid = {500, 1, 1},
        .block = {64, 1, 1},
        .arguments = {"out:u32[64]", random("256000"), "u32=512"}}},
      {{.cubin = cubin,
        .kernel = "causal",
        .grid = {8, 40, 1},
        .block = {64, 1, 1},
        .arguments = {"out:f32[20480]", "u32=" + std::to_string(seed % 8 + 1)}}},
      {{.cubin = cubin,
        .kernel = "borders",
        .grid = {24, 24, 1},
        .block = {64, 1, 1},
        .arguments = {"out:f32[36864]", "u32=" + std::to_string(1473 + seed), "u32=" + std::to_string(23 - seed % 2)}}},
      {{.cubin = cubin,
        .kernel = "rarely",
        .grid = {1000, 1, 1},
        .block = {64, 1, 1},
        .arguments = {"out:f32[64000]", random("1000"), "u32=16"}}},
      {{.cubin = cubin,
        .kernel = "stripes",
        .grid = {32, 32, 1},
        .block = {64, 1, 1},
        .arguments = {"out:f32[65536]"}}},
      {{.cubin = cubin,
        .kernel = "wanders",
        .grid = {700, 1, 1},
        .block = {64, 1, 1},
        .arguments = {"out:u32[44800]", random("700")}}},
  };
}

// Compares every sample of every launch with the complete launch.
coverage covered(const question& q, const std::vector<std::uint64_t>& sizes) {
  coverage c;
  const auto whole = test::run_kernel(q.launch);
  EXPECT_TRUE(whole) << to_text(whole.error());
  if (!whole) return c;
  for (const std::uint64_t n : sizes) {
    if (n >= q.blocks()) continue;
    question part = q;
    part.launch.ctas = n;
    const auto run = test::run_kernel(part.launch);
    EXPECT_TRUE(run) << to_text(run.error());
    if (run) c.add(whole->launch(), run->launch());
  }
  return c;
}

TEST(Estimate, NineOfTenIntervalsHold) {
  std::map<std::string, coverage> by_kernel;
  std::map<std::uint64_t, coverage> by_size;
  coverage all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const question& q : uneven(seed))
      for (const std::uint64_t n : {3, 6, 12, 24, 48, 96}) {
        const coverage c = covered(q, {n});
        by_kernel[q.launch.kernel].add(c);
        by_size[n].add(c);
        all.add(c);
      }
  for (const auto& [name, c] : by_kernel) std::cout << name << ": " << c.text() << "\n";
  for (const auto& [n, c] : by_size) std::cout << n << " blocks: " << c.text() << "\n";
  std::cout << "all: " << all.text() << "\n";
  EXPECT_GE(all.share(), 0.9);
}

TEST(Estimate, HoldsOfTheExamples) {
  coverage all;
  for (const test::example& e : test::all_examples()) all.add(covered({e.launch}, {1, 2, 4, 8}));
  std::cout << all.text() << "\n";
  EXPECT_GE(all.share(), 0.9);
}

}  // namespace
}  // namespace bankwise
