// Tests how many wavefronts padding removes where addresses depend on data.
#include "profile/padded_conflicts.hpp"

#include <gtest/gtest.h>

#include "expr/names/machine_names.hpp"
#include "rule/fast_rule.hpp"

namespace bankwise {
namespace {

machine hopper() { return *parse_machine("sm_90"); }

// A launch with one load, executed once. Its addresses depend on data.
launch_report loaded_at(auto address) {
  access a{ld(4), ~0u, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.address[lane] = address(lane);
  const cost c = fast_rule(hopper().model)(a);
  launch_report l;
  site& s = l.sites.emplace_back();
  s.op.op = a.op;
  s.executed = 1;
  s.wavefronts = c.wavefronts;
  s.reachable = 1;
  s.depends = {.known = true, .address = {static_cast<std::uint8_t>(sass::input::data)}, .execution = {}};
  s.accesses.push_back({a, 1});
  return l;
}

TEST(PaddedConflicts, CountersOfEachThreadGetOtherBanks) {
  const launch_report l = loaded_at([](u32 t) { return 4 * (t * 16 + t * 7 % 4); });
  ASSERT_GE(removable(l.sites[0]), 3u);
  EXPECT_GE(removable_by_padding(l, hopper())[0], removable(l.sites[0]) / 2);
}

// Lanes store the values that they keep one after another, so almost all banks differ.
TEST(PaddedConflicts, NoPaddingHelpsWordsWithoutOrder) {
  const auto hashed = [](u32 t) { return (t + 1) * 2654435761u >> 20 & ~3u; };
  const launch_report l = loaded_at(hashed);
  ASSERT_GT(removable(l.sites[0]), 0u);
  EXPECT_LT(removable_by_padding(l, hopper())[0], removable(l.sites[0]));
}

// Without recorded accesses, the worst access tells what a layout leaves.
TEST(PaddedConflicts, TheWorstAccessStandsForAll) {
  const auto judged = [](auto address) {
    launch_report l = loaded_at(address);
    site& s = l.sites[0];
    s.worst = s.accesses[0].what;
    s.accesses.clear();
    return std::pair(removable_by_padding(l, hopper())[0], removable(s));
  };
  const auto [of_threads, all_of_threads] = judged([](u32 t) { return 4 * (t * 16 + t * 7 % 4); });
  EXPECT_GE(of_threads, all_of_threads / 2);
  const auto [without_order, all_without_order] = judged([](u32 t) { return (t + 1) * 2654435761u >> 20 & ~3u; });
  EXPECT_LT(without_order, all_without_order);
}

TEST(PaddedConflicts, OtherAddressesCanHaveAnyLayout) {
  launch_report l = loaded_at([](u32 t) { return (t + 1) * 2654435761u >> 20 & ~3u; });
  l.sites[0].depends.address = {};
  EXPECT_EQ(removable_by_padding(l, hopper())[0], removable(l.sites[0]));
  launch_report without = loaded_at([](u32 t) { return t * 64; });
  without.sites[0].accesses.clear();
  EXPECT_EQ(removable_by_padding(without, hopper())[0], removable(without.sites[0])) << "not recorded";
}

}  // namespace
}  // namespace bankwise
