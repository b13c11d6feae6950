// Tests the search for orders of blocks, warps and paths in which a launch has other results.
#include <gtest/gtest.h>

#include "profile/schedules.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

test::kernel_launch launch_of(const char* cubin, const char* kernel, std::vector<std::string> arguments) {
  return {.cubin = cubin, .kernel = kernel, .grid = {12, 1, 1}, .block = {64, 1, 1}, .arguments = std::move(arguments)};
}
schedule_results tried(const test::kernel_launch& what, std::uint64_t seeds) {
  schedule_results found;
  const auto done = test::prepare_kernel(
      what,
      [&](const emulate::launch& l, emulate::device_memory& memory, const placed_arguments&) -> result<bankwise::done> {
        found = try_schedules(l, memory, {}, seeds);
        return bankwise::done{};
      });
  EXPECT_TRUE(done) << to_text(done.error());
  return found;
}

TEST(Schedules, FindAnotherResult) {
  const auto what = launch_of("tests/kernels/published_data.cubin", "appends", {"out:i32[64]", "i32[1]=zero"});
  const schedule_results found = tried(what, 20);
  ASSERT_EQ(found.others.size(), 1u);
  const other_result& o = found.others[0];
  EXPECT_EQ(o.seed, found.orders);
  EXPECT_NE(o.usual, o.other);
  EXPECT_FALSE(o.only_rounding);
  // The seed repeats the result to the byte.
  test::kernel_launch again = what;
  const auto usual = test::run_kernel(again);
  again.seed = o.seed;
  again.threads = 1;
  const auto other = test::run_kernel(again);
  ASSERT_TRUE(usual && other);
  const auto a = usual->buffer<std::uint8_t>(0), b = other->buffer<std::uint8_t>(0);
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1 : 0;
  EXPECT_EQ(differ, o.bytes);
  EXPECT_EQ(other->buffer<std::uint32_t>(0)[o.offset / 4], o.other);
  EXPECT_EQ(usual->buffer<std::uint32_t>(0)[o.offset / 4], o.usual);
}

TEST(Schedules, RoundingIsToldApart) {
  const schedule_results found =
      tried(launch_of("tests/kernels/published_data.cubin", "adds_floats", {"f32[1]=zero"}), 8);
  EXPECT_EQ(found.orders, 8u);
  ASSERT_EQ(found.others.size(), 1u);
  EXPECT_TRUE(found.others[0].only_rounding);
}

TEST(Schedules, LeaveMemoryUnchanged) {
  const auto what = launch_of("tests/kernels/published_data.cubin", "appends", {"out:i32[64]", "i32[1]=zero"});
  const auto done = test::prepare_kernel(what,
                                         [&](const emulate::launch& l, emulate::device_memory& memory,
                                             const placed_arguments& placed) -> result<bankwise::done> {
                                           const std::uint64_t address = placed.each.at(0).address,
                                                               bytes = placed.each.at(0).bytes;
                                           const auto contents = [&] {
                                             const std::byte* const data = memory.bytes_at(address, bytes);
                                             return std::vector<std::byte>(data, data + bytes);
                                           };
                                           const std::vector<std::byte> before = contents();
                                           EXPECT_FALSE(try_schedules(l, memory, {}, 5).others.empty());
                                           EXPECT_EQ(contents(), before);
                                           return bankwise::done{};
                                         });
  EXPECT_TRUE(done);
}

// The results of a correct kernel do not depend on the order, even if its warps and blocks depend on each other.
TEST(Schedules, FindNothingInCorrectKernels) {
  const std::vector<std::string> sums{"out:i32[1]", "out:i32[64]", "u32[1]=zero"};
  for (const auto& [cubin, kernel, arguments] :
       {std::tuple{"tests/kernels/published_data.cubin", "adds_parts", sums},
        std::tuple{"tests/kernels/published_data.cubin", "hands_over",
                   std::vector<std::string>{"out:i32[2048]", "out:i32[64]", "i32[1]=zero"}},
        std::tuple{"tests/kernels/races.cubin", "reads_in_order", std::vector<std::string>{"out:i32[256]"}}}) {
    const schedule_results found = tried(launch_of(cubin, kernel, arguments), 10);
    EXPECT_EQ(found.orders, 10u) << kernel;
    EXPECT_TRUE(found.others.empty()) << kernel;
  }
}

}  // namespace
}  // namespace bankwise
