// Tests sentences about predicted times.
#include "report/sections/time_report.hpp"

#include <gtest/gtest.h>

#include "model/report.hpp"

namespace bankwise {
namespace {

predicted_time time_of(std::uint64_t cycles) {
  predicted_time t;
  t.gpu = "H100 SXM";
  t.cycles = cycles;
  t.cycles_low = cycles * 9 / 10;
  t.cycles_high = cycles * 12 / 10;
  t.nanoseconds = cycles * 10 / 16;
  t.bound = "dram";
  return t;
}

TEST(SavingOfEdit, ThatChangesUnderAPercentIsCalledSo) {
  for (const std::uint64_t after : {100'000u, 99'200u, 100'900u}) {
    const std::string text = saving_of_edit("k", time_of(100'000), time_of(after));
    EXPECT_EQ(text,
              "k: the edit saves wavefronts, but less than 1% of this kernel's predicted time, which is bound by "
              "DRAM on an H100 SXM.\n");
  }
  for (const std::uint64_t after : {50'000u, 98'900u, 101'100u, 300'000u}) {
    const std::string text = saving_of_edit("k", time_of(100'000), time_of(after));
    EXPECT_EQ(text.find("under 1%"), std::string::npos) << text;
    EXPECT_EQ(text.find("1.00 times"), std::string::npos) << text;
    EXPECT_EQ(text.find("times as slow") != std::string::npos, after > 100'000) << text;
  }
}

// An edit that is predicted to be slower is not kept.
TEST(SavingOfEdit, IsSlowerFromOnePercentOn) {
  for (const std::uint64_t after : {90'000u, 100'500u, 102'000u, 105'000u, 106'000u, 116'000u}) {
    const std::string text = saving_of_edit("k", time_of(100'000), time_of(after));
    EXPECT_EQ(is_clearly_slower(time_of(100'000), time_of(after)), after > 101'000) << after;
    EXPECT_EQ(text.find("k: predicted to take") != std::string::npos, after > 101'000) << text;
  }
  predicted_time warm = time_of(300'000);
  warm.caches = "warm";
  EXPECT_FALSE(is_clearly_slower(time_of(100'000), warm));
}

TEST(SavingOfEdit, NeedsBothTimesOfOneGpu) {
  EXPECT_EQ(saving_of_edit("k", time_of(1000), {}), "");
  predicted_time other = time_of(500);
  other.gpu = "H200";
  EXPECT_EQ(saving_of_edit("k", time_of(1000), other), "");
}

TEST(FloorLine, IsTheTimeOfTheUnitThatIsUsedMost) {
  predicted_time t{.gpu = "H100 SXM", .cycles = 5000, .nanoseconds = 20'000};
  EXPECT_EQ(floor_line(t), "") << "the use of the units is not known";
  t.use = {{"sm", 30}, {"memory", 60}, {"issue", 30}, {"pipes", 20}, {"l1", 10}, {"l2", 40}, {"dram", 60}};
  EXPECT_EQ(floor_line(t), "about 12.0 us, if DRAM was always busy");
  t.use = {{"pipes", 50}};
  EXPECT_EQ(floor_line(t), "about 10.0 us, if arithmetic pipes were always busy");
  t.use = {{"dram", 91}};
  EXPECT_EQ(floor_line(t), "") << "the launch is almost at its floor";
}

TEST(FloorLine, HasTheTimeOfWhatTheLaunchNeeds) {
  predicted_time t{.gpu = "H100 SXM", .cycles = 5000, .nanoseconds = 20'000};
  t.use = {{"dram", 60}};
  t.needed = {.cycles = 1000, .read_bytes = 4'200'000, .written_bytes = 2'000'000};
  EXPECT_EQ(floor_line(t), "about 12.0 us, if DRAM was always busy; 4.00 us for 6.20 MB of needed data");
  EXPECT_EQ(above_floor(t), 0.8);
  t.needed.is_estimated = true;
  t.use = {{"dram", 95}};
  EXPECT_EQ(floor_line(t), "about 4.00 us for about 6.20 MB of needed data") << "DRAM is busy, but with other bytes";
  t.needed.is_arithmetic = true;
  EXPECT_EQ(floor_line(t), "about 4.00 us for the needed arithmetic");
  t.needed.cycles = 4600;
  EXPECT_EQ(floor_line(t), "") << "the launch is almost at its floor";
  t.needed.cycles = 4000;
  t.use = {{"dram", 60}};
  EXPECT_EQ(floor_line(t), "about 16.0 us for the needed arithmetic") << "DRAM alone would be faster";
}

TEST(TimeOfLaunches, IsKnownIfEachLaunchHasOneForTheSameGpu) {
  report r;
  r.launches.resize(2);
  r.launches[0].count = 3;
  r.launches[0].time = time_of(1000);
  r.launches[0].mangled = "a";
  r.launches[1].mangled = "b";
  EXPECT_FALSE(time_of_launches(r));
  EXPECT_EQ(time_of_launches(r, [](const launch_report& l) { return l.mangled == "a"; }).cycles, 3000u);
  r.launches[1].time = time_of(50);
  EXPECT_EQ(time_of_launches(r).cycles, 3050u);
  EXPECT_EQ(time_of_launches(r).cycles_high, 3660u);
  r.launches[1].time.gpu = "H200";
  EXPECT_FALSE(time_of_launches(r));
}

TEST(ChangeText, HasBothIntervalsAndTheFactor) {
  EXPECT_EQ(change_text(time_of(160'000), time_of(80'000)),
            "about 50.0 us (45.0 to 60.0) instead of 100 us (90.0 to 120) on an H100 SXM, 2.0 times as fast");
  EXPECT_EQ(factor_text(100, 100), "as fast");
  EXPECT_EQ(factor_text(1000, 1003), "as fast");
  EXPECT_EQ(factor_text(1000, 1300), "1.30 times as slow");
  predicted_time warm = time_of(80'000);
  warm.caches = "warm";
  EXPECT_EQ(change_text(time_of(160'000), warm), "") << "times with different caches are not compared";
}

TEST(SavingOfFinding, IsOfAllLaunchesOfTheKernel) {
  check::finding f;
  EXPECT_EQ(saving_of_finding(f), "");
  f.time = time_of(160'000);
  f.saved_cycles = 80'000;
  EXPECT_EQ(saving_of_finding(f),
            "removing it saves 50% of this kernel's time: about 50.0 us instead of 100 us (90.0 to 120) on an H100 "
            "SXM, 2.0 times as "
            "fast");
  f.saved_cycles = 10;
  EXPECT_EQ(saving_of_finding(f), "removing it saves under 1% of this kernel's time, which is bound by DRAM");
  f.message = "a message";
  f.fix = "a fix";
  EXPECT_EQ(whole_message(f), "a message; " + saving_of_finding(f) + ". a fix");
}

TEST(PredictedSentence, HasTheUseAndTheBlocks) {
  predicted_time t = time_of(160'000);
  t.shares = {{"dram", 40}};
  t.traced_blocks = 1;
  const std::string from_one = predicted_sentence(t);
  EXPECT_NE(from_one.find("with cold caches, predicted from 1 block. Without DRAM"), std::string::npos) << from_one;
  t.traced_blocks = 24;
  t.traced_in_part = true;
  t.use = {{"sm", 12}, {"memory", 83}, {"issue", 12}, {"pipes", 10}, {"l1", 20}, {"l2", 33}, {"dram", 83}};
  const std::string text = predicted_sentence(t);
  EXPECT_NE(text.find("predicted from the first instructions of 24 blocks."), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(
      "40% less time. The launch uses 12% of the multiprocessors (issue 12%, pipes 10%) and 83% of memory (L1 20%, L2 "
      "33%, DRAM 83%)."))
      << text;
}

TEST(TimeLine, SaysIfIfTheCodeIsForAnotherGpu) {
  const auto line = [](const char* code, const char* gpu) {
    report r;
    r.on.name = code;
    launch_report l;
    l.time = time_of(160'000);
    l.time.gpu = gpu;
    const std::string text = time_line(r, l, 1);
    return text.substr(13, text.find(" (") - 13);
  };
  EXPECT_EQ(line("sm_90", "H100 SXM"), "on an H100 SXM");
  EXPECT_EQ(line("sm_90", "H200"), "on an H200");
  EXPECT_EQ(line("sm_80", "A100 80GB SXM"), "on an A100 80GB SXM");
  EXPECT_EQ(line("sm_120", "RTX 5090"), "on an RTX 5090");
  EXPECT_EQ(line("sm_86", "RTX 3090"), "on an RTX 3090");
  // An RTX 3090 runs code for sm_80, but an A100 does not run code for sm_86.
  EXPECT_EQ(line("sm_80", "RTX 3090"), "if an RTX 3090 ran this code");
  EXPECT_EQ(line("sm_86", "A100 80GB SXM"), "if an A100 80GB SXM ran this code for sm_86");
  EXPECT_EQ(line("sm_90", "A100 80GB SXM"), "if an A100 80GB SXM ran this code for sm_90");
  EXPECT_EQ(line("sm_80", "H100 SXM"), "if an H100 SXM ran this code for sm_80");
  EXPECT_EQ(line("sm_100", "B300"), "if a B300 ran this code");
}

TEST(TimeLine, SaysWhereTheNumbersComeFrom) {
  report r;
  r.on.name = "sm_90";
  launch_report l;
  l.time = time_of(160'000);
  EXPECT_EQ(time_line(r, l, 1), "about 100 us on an H100 SXM (90.0 to 120), bound by DRAM");
  l.time.caches = "warm";
  EXPECT_EQ(time_line(r, l, 1), "about 100 us on an H100 SXM with warm caches (90.0 to 120), bound by DRAM");
  l.time.caches = "cold";
  l.time.is_assumed = true;
  EXPECT_NE(time_line(r, l, 1).find("on an H100 SXM, scaled from an H100 ("), std::string::npos);
  l.time.parameters = {{"l2_latency", 250}};
  EXPECT_NE(time_line(r, l, 1).find(", with parameters that bankwise probe measured ("), std::string::npos);
}

}  // namespace
}  // namespace bankwise
