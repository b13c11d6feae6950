// Tests that compiled code from an earlier launch is reused exactly if the code has the same operands.
#include "emulate/decode/kept_code.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/kernel_run.hpp"

namespace bankwise::emulate {
namespace {

const test::kernel_launch gemm{
    .cubin = "examples/gemm.cubin",
    .kernel = "gemm",
    .grid = {2, 2, 1},
    .block = {16, 16, 1},
    .arguments = {"out:f32[128*128]", "f32[128*64]=random:1", "f32[64*128]=random:2", "i32=128", "i32=128", "i32=64"},
    .threads = 1};

using bytes = std::vector<std::byte>;

// Launches a kernel once for each value of `depths`, which is the number of columns. Each launch has separate
// parameters. Returns the results.
std::vector<bytes> results_of(const std::vector<std::uint32_t>& depths, const std::shared_ptr<kept_code>& kept) {
  std::vector<bytes> all;
  const auto ran = test::prepare_kernel(
      gemm, [&](const launch& l, device_memory& memory, const placed_arguments& placed) -> result<done> {
        for (const std::uint32_t depth : depths) {
          launch one = l;
          one.kept = kept;
          one.compile_after = 0;
          std::memcpy(one.parameters.data() + l.parameters.size() - sizeof depth, &depth, sizeof depth);
          if (const auto result = run_launch(one, memory, {}); !result) return result.error();
          const std::byte* const at = memory.bytes_at(placed.each[0].address, placed.each[0].bytes);
          all.emplace_back(at, at + placed.each[0].bytes);
        }
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return all;
}

TEST(KeptCode, ComputesWhatNewCodeComputes) {
  const std::vector<std::uint32_t> depths{64, 32, 64, 16, 32};
  const auto kept = std::make_shared<kept_code>();
  const auto with = results_of(depths, kept), without = results_of(depths, nullptr);
  ASSERT_EQ(with.size(), depths.size());
  EXPECT_EQ(with, without);
  EXPECT_EQ(with[0], with[2]);
  EXPECT_NE(with[0], with[1]);
}

TEST(KeptCode, IsTakenForTheSameOperandsAlone) {
  cubin::program p;
  p.sm = 90;
  cubin::code_section& code = p.sections.emplace_back();
  code.address = cubin::code_base;
  const std::uint64_t instruction[] = {0x00000a0000017a02, 0x000fe20000000f00};  // MOV R1, c[0x0][0x28]
  code.bytes.resize(sizeof instruction);
  std::memcpy(code.bytes.data(), instruction, sizeof instruction);
  kept_code::constants banks, other;
  for (bytes& bank : banks) bank.resize(256);
  other = banks;
  other[0][0x28] = std::byte{1};
  const kept_code::origin from{.program = &p};
  kept_code kept;
  kept_code::one_entry made = kept.take(from, banks);
  EXPECT_TRUE(made.empty());
  made.push_back({from, std::make_unique<code_cache>(p, banks)});
  code_cache* const first = made.front().code.get();
  ASSERT_NE(first->section_at(cubin::code_base), nullptr);
  kept.give_back(std::move(made));

  banks[0][0x2c] = std::byte{7};  // a byte that is not an operand
  kept_code::one_entry same = kept.take(from, banks);
  ASSERT_FALSE(same.empty());
  EXPECT_EQ(same.front().code.get(), first);
  EXPECT_TRUE(kept.take(from, banks).empty()) << "the entry is in use";
  kept.give_back(std::move(same));

  EXPECT_TRUE(kept.take(from, other).empty());
  other[0].resize(0x28);
  EXPECT_TRUE(kept.take(from, other).empty());
  kept_code::origin elsewhere = from;
  elsewhere.compile_after = 7;
  EXPECT_TRUE(kept.take(elsewhere, banks).empty());
  kept.forget(&p);
  EXPECT_TRUE(kept.take(from, banks).empty());
}

TEST(KeptCode, KeepsBlocksThatAreSmall) {
  spare_blocks spare;
  EXPECT_EQ(spare.take(), nullptr);
  auto small = std::make_unique<block_state>(), large = std::make_unique<block_state>();
  small->warps.resize(1);
  large->shared.resize(spare_blocks::most_bytes);
  const block_state* const kept = small.get();
  spare.give_back(std::move(large));
  EXPECT_EQ(spare.bytes(), 0u);
  spare.give_back(std::move(small));
  EXPECT_GT(spare.bytes(), sizeof(warp));
  EXPECT_EQ(spare.take().get(), kept);
  EXPECT_EQ(spare.bytes(), 0u);
  EXPECT_EQ(spare.take(), nullptr);
}

}  // namespace
}  // namespace bankwise::emulate
