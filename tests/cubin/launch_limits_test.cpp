// Tests limits of launches: values one step below and one step above each limit, and the message for a launch that
// exceeds several limits.
#include "cubin/launch_limits.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/kernel_run.hpp"

namespace bankwise::cubin {
namespace {

kernel plain_kernel() {
  kernel k;
  k.registers = 32;
  k.static_shared_bytes = 1024;
  return k;
}

launch_limit beyond(const launch_request& l, std::uint32_t sm = 90,
                    const std::function<void(launch_limits&)>& change = {}) {
  launch_limits most = limits_of(plain_kernel(), sm);
  if (change) change(most);
  return first_beyond(l, most);
}

TEST(LaunchLimits, Extents) {
  using limit = launch_limit;
  EXPECT_EQ(beyond({}), limit::none);
  EXPECT_EQ(beyond({{0x7fffffff, 65535, 65535}, {1024, 1, 1}}), limit::none);
  EXPECT_EQ(beyond({{0x80000000, 1, 1}}), limit::grid);
  EXPECT_EQ(beyond({{1, 65536, 1}}), limit::grid);
  EXPECT_EQ(beyond({{1, 1, 65536}}), limit::grid);
  EXPECT_EQ(beyond({{1, 1, 1}, {1, 1024, 1}}), limit::none);
  EXPECT_EQ(beyond({{1, 1, 1}, {1, 1, 64}}), limit::none);
  EXPECT_EQ(beyond({{1, 1, 1}, {1025, 1, 1}}), limit::block);
  EXPECT_EQ(beyond({{1, 1, 1}, {1, 1, 65}}), limit::block);
  EXPECT_EQ(beyond({{1, 1, 1}, {32, 33, 1}}), limit::threads);
  for (unsigned i = 0; i < 3; ++i) {
    launch_request l;
    l.grid[i] = 0;
    EXPECT_EQ(beyond(l), limit::grid);
    l.grid[i] = 1;
    l.block[i] = 0;
    EXPECT_EQ(beyond(l), limit::block);
  }
}

TEST(LaunchLimits, OfTheKernel) {
  const auto bounds = [](launch_limits& most) { most.kernel_threads = 128; };
  EXPECT_EQ(beyond({{1, 1, 1}, {128, 1, 1}}, 90, bounds), launch_limit::none);
  EXPECT_EQ(beyond({{1, 1, 1}, {129, 1, 1}}, 90, bounds), launch_limit::kernel_threads);
  const auto registers = [](launch_limits& most) { most.registers = 128; };
  EXPECT_EQ(beyond({{1, 1, 1}, {512, 1, 1}}, 90, registers), launch_limit::none);
  EXPECT_EQ(beyond({{1, 1, 1}, {544, 1, 1}}, 90, registers), launch_limit::registers);
}

TEST(LaunchLimits, SharedMemory) {
  for (const architecture& a : architectures()) {
    const std::uint64_t room = a.one.shared_a_block_optin - plain_kernel().static_shared_bytes;
    launch_request l{.block = {32, 1, 1}, .dynamic_shared_bytes = room};
    EXPECT_EQ(beyond(l, a.sm), launch_limit::none) << a.sm;
    ++l.dynamic_shared_bytes;
    EXPECT_EQ(beyond(l, a.sm), launch_limit::shared) << a.sm;
    l.dynamic_shared_bytes = ~std::uint64_t{0};
    EXPECT_EQ(beyond(l, a.sm), launch_limit::shared) << a.sm;
  }
  const auto asked = [](launch_limits& most) { most.dynamic_shared_bytes = 100; };
  EXPECT_EQ(beyond({.dynamic_shared_bytes = 100}, 90, asked), launch_limit::none);
  EXPECT_EQ(beyond({.dynamic_shared_bytes = 101}, 90, asked), launch_limit::dynamic_shared);
}

TEST(LaunchLimits, Clusters) {
  const launch_request eight{.grid = {16, 4, 1}, .cluster = {4, 2, 1}};
  EXPECT_EQ(beyond(eight), launch_limit::none);
  for (const architecture& a : architectures())
    EXPECT_EQ(beyond(eight, a.sm) == launch_limit::no_clusters, !can(a.sm, ability::cluster)) << a.sm;
  EXPECT_EQ(beyond({.grid = {16, 4, 1}, .cluster = {8, 2, 1}}), launch_limit::cluster);
  EXPECT_EQ(beyond({.grid = {16, 4, 1}, .cluster = {8, 2, 1}}, 90,
                   [](launch_limits& most) { most.cluster_blocks = most_cluster_blocks; }),
            launch_limit::none);
  EXPECT_EQ(beyond({.cluster = {1, 0, 1}}), launch_limit::cluster);
  EXPECT_EQ(beyond({.cluster = {0x10000, 0x10000, 1}}), launch_limit::cluster);
  EXPECT_EQ(beyond({.grid = {6, 1, 1}, .cluster = {4, 1, 1}}), launch_limit::cluster_grid);
  const auto compiled = [](launch_limits& most) { most.kernel_cluster = {2, 1, 1}; };
  EXPECT_EQ(beyond({.grid = {2, 1, 1}}, 90, compiled), launch_limit::none);
  EXPECT_EQ(beyond({.grid = {3, 1, 1}}, 90, compiled), launch_limit::cluster_grid);
  EXPECT_EQ(beyond({.grid = {4, 1, 1}, .cluster = {4, 1, 1}}, 90, compiled), launch_limit::kernel_cluster);
}

TEST(LaunchLimits, CooperativeLaunchesAreAsLargeAsTheGpu) {
  for (const architecture& a : architectures()) {
    if (a.set == instruction_set::none) continue;
    launch_request l{.block = {1024, 1, 1}, .cooperative = true};
    const launch_limits most = limits_of(plain_kernel(), a.sm);
    const std::uint64_t fit = resident_blocks(l, most);
    EXPECT_EQ(fit, std::uint64_t{a.one.warps / 32} * a.gpu.multiprocessors) << a.sm;
    l.grid[0] = static_cast<std::uint32_t>(fit);
    EXPECT_EQ(first_beyond(l, most), launch_limit::none) << a.sm;
    ++l.grid[0];
    EXPECT_EQ(first_beyond(l, most), launch_limit::cooperative) << a.sm;
    l.cooperative = false;
    EXPECT_EQ(first_beyond(l, most), launch_limit::none) << a.sm;
  }
}

// For recordings and unknown architectures, only the extents are checked.
TEST(LaunchLimits, WithoutAKernelOrAGpu) {
  EXPECT_EQ(first_beyond({.dynamic_shared_bytes = 1u << 30}, {}), launch_limit::none);
  EXPECT_EQ(first_beyond({.block = {2048, 1, 1}}, {}), launch_limit::block);
  EXPECT_EQ(beyond({.block = {1024, 1, 1}}, 999), launch_limit::none);
}

// The emulator reports three kinds of launches: with too many registers, with too large clusters, or with more blocks
// than the GPU can hold.
TEST(LaunchLimits, AreSaidByTheEmulator) {
  const auto refusal = [](const std::function<void(emulate::launch&, kernel&)>& change, emulate::fault_kind& fault) {
    std::string said;
    const auto prepared = test::prepare_kernel(
        {.cubin = "examples/transpose.cubin",
         .kernel = "transpose_plain",
         .grid = {4, 4, 1},
         .block = {32, 8, 1},
         .arguments = {"out:f32[16384]", "f32[16384]=iota", "i32=128"}},
        [&](const emulate::launch& given, emulate::device_memory& memory, const auto&) -> result<done> {
          emulate::launch l = given;
          kernel k = *given.kernel;
          l.kernel = &k;
          l.fault = &fault;
          change(l, k);
          const auto ran = emulate::run_launch(l, memory, {});
          said = ran ? "it ran" : to_text(ran.error());
          return done{};
        });
    return prepared ? said : to_text(prepared.error());
  };
  emulate::fault_kind fault{};
  EXPECT_EQ(refusal([](emulate::launch&, kernel&) {}, fault), "it ran");
  EXPECT_EQ(refusal(
                [](emulate::launch& l, kernel& k) {
                  l.block = {1024, 1, 1};
                  k.registers = 96;
                },
                fault),
            "error: kernel transpose_plain: a block of 1024,1,1 has 1024 threads with 96 registers each, which are too "
            "many for a multiprocessor of sm_90\nhelp: __launch_bounds__(1024) in the source reduces the "
            "registers of each thread");
  EXPECT_EQ(fault, emulate::fault_kind::invalid_launch);
  EXPECT_NE(refusal(
                [](emulate::launch& l, kernel&) {
                  l.cluster = {3, 1, 1};
                },
                fault)
                .find("clusters of 3,1,1"),
            std::string::npos);
  EXPECT_EQ(fault, emulate::fault_kind::invalid_cluster);
  EXPECT_NE(refusal(
                [](emulate::launch& l, kernel&) {
                  l.grid = {2000, 1, 1};
                  l.cooperative = true;
                },
                fault)
                .find("the launch is cooperative and has 2,000 blocks, but only 1,056 blocks can be resident at the "
                      "same time"),
            std::string::npos);
  EXPECT_EQ(fault, emulate::fault_kind::cooperative_too_large);
}

// Each architecture has one row. Look-ups by number and by name find this row.
TEST(Architectures, RowsJoin) {
  std::uint32_t before = 0;
  for (const architecture& a : architectures()) {
    EXPECT_GT(a.sm, before);
    before = a.sm;
    EXPECT_EQ(a.one.name, "sm_" + std::to_string(a.sm));
    EXPECT_EQ(find_architecture(a.sm), &a);
    EXPECT_EQ(find_architecture(std::string(a.one.name) + "a"), &a);
    EXPECT_EQ(a.set == instruction_set::none, a.gpu.name.empty()) << a.sm;
    EXPECT_EQ(is_executed(a.sm), !a.gpu.name.empty()) << a.sm;
    EXPECT_EQ(multiprocessors_of(a.sm), a.gpu.name.empty() ? 132 : a.gpu.multiprocessors) << a.sm;
    if (a.set == instruction_set::none) continue;
    EXPECT_EQ(set_of(a.sm), a.set);
  }
  EXPECT_EQ(find_architecture("sm_35.8"), find_architecture(35));
  for (const char* name : {"", "90", "sm_91", "10x4", "sm_90b"}) EXPECT_EQ(find_architecture(name), nullptr) << name;
  EXPECT_EQ(set_of(10), instruction_set::turing);
  EXPECT_EQ(set_of(88), instruction_set::ampere);
  EXPECT_EQ(set_of(99), instruction_set::hopper);
  EXPECT_EQ(set_of(101), instruction_set::blackwell);
  EXPECT_EQ(set_of(999), instruction_set::rtx);
}

}  // namespace
}  // namespace bankwise::cubin
