// Tests rankings: the order, which configurations cannot be distinguished from the best, and the short list.
#include "tune/ranking.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bankwise::tune {
namespace {

constexpr choice_error error{.spaces = 10, .held = 9, .pairs = 100, .told_apart = 1.1};

predicted_interval about(double time) { return {time, time * 0.9, time * 1.1}; }

ranking rank_times(const std::vector<double>& times) {
  std::vector<predicted_interval> all;
  for (const double t : times) all.push_back(about(t));
  return rank(all, error);
}

TEST(Ranking, TheShortestTimeIsFirst) {
  const ranking r = rank_times({30, 10, 20, 10});
  EXPECT_EQ(r.order, (std::vector<std::size_t>{1, 3, 2, 0})) << "equal times keep their order";
  EXPECT_EQ(rank({}, error).order.size(), 0u);
  EXPECT_EQ(rank({}, error).short_list, 0u);
}

TEST(Ranking, NearTimesCannotBeDistinguished) {
  EXPECT_EQ(rank_times({10, 10.9, 11.1}).like_best, (std::vector<bool>{true, true, false}));
  // Times that are near, but whose intervals do not overlap.
  const std::vector<predicted_interval> narrow{{10, 9.9, 10.1}, {10.5, 10.4, 10.6}};
  EXPECT_EQ(rank(narrow, error).like_best, (std::vector<bool>{true, false}));
}

TEST(Ranking, TheShortListGrowsWithNearTimes) {
  EXPECT_EQ(rank_times({10, 20, 30}).short_list, 1u);
  EXPECT_EQ(rank_times({10, 10, 30}).short_list, 2u);
  EXPECT_EQ(rank_times({10, 10, 10, 10, 10, 10, 10, 10, 10, 10}).short_list, 9u);
  EXPECT_EQ(rank_times({10}).short_list, 1u);
}

// If errors are as the ranking assumes, 90 % of the short lists contain the best.
TEST(Ranking, TheShortListHoldsTheBestWithNinetyPercent) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const double width = std::log(error.told_apart) / 1.28155 / std::sqrt(2);
  int held = 0;
  constexpr int spaces = 2000;
  for (int n = 0; n < spaces; ++n) {
    std::vector<double> measured, predicted;
    for (int i = 0; i < 20; ++i) {
      predicted.push_back(std::exp(normal(random) * 0.2));
      measured.push_back(predicted.back() * std::exp(normal(random) * width));
    }
    const std::size_t best =
        static_cast<std::size_t>(std::min_element(measured.begin(), measured.end()) - measured.begin());
    const ranking r = rank_times(predicted);
    const auto at = static_cast<std::size_t>(std::find(r.order.begin(), r.order.end(), best) - r.order.begin());
    held += at < r.short_list ? 1 : 0;
  }
  EXPECT_GT(held, spaces * 88 / 100);
  EXPECT_LT(held, spaces * 98 / 100) << "the list is longer than necessary";
}

TEST(Ranking, TheErrorIsMeasured) {
  const choice_error& measured = measured_choice_error();
  EXPECT_GE(measured.spaces, 10u);
  EXPECT_LE(measured.held, measured.spaces);
  EXPECT_GT(measured.told_apart, 1.0);
  EXPECT_LT(measured.told_apart, 1.5);
  EXPECT_TRUE(has_measured_error("H100 SXM") && has_measured_error("NVIDIA H200"));
  EXPECT_FALSE(has_measured_error("A100 80GB SXM"));
}

}  // namespace
}  // namespace bankwise::tune
