// Tests loads and stores of 256 bits.
#include <gtest/gtest.h>

#include "profile/profile_launch.hpp"
#include "sass/print/print.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::fault_kind;
using words = std::vector<std::uint32_t>;

constexpr const char* cubin_file = "tests/kernels/blackwell/wide_accesses.cubin";

result<test::kernel_run> run(const char* kernel, std::vector<std::string> arguments, fault_kind* fault = nullptr) {
  return test::run_kernel({.cubin = cubin_file, .kernel = kernel, .arguments = std::move(arguments), .fault = fault});
}

TEST(WideAccesses, MoveEightWords) {
  const auto done = run("reverses", {"u32[280]=iota", "out:u32[256]"});
  ASSERT_TRUE(done) << to_text(done.error());
  const words out = done->buffer<std::uint32_t>(1);
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(out[8 * t + k], 8 * (t + 3) + 7 - k) << t;
}

TEST(WideAccesses, KeepTheWordsThatHaveRegisters) {
  const auto done = run("keeps_some", {"u32[256]=iota", "out:u32[160]"});
  ASSERT_TRUE(done) << to_text(done.error());
  const words out = done->buffer<std::uint32_t>(1);
  constexpr unsigned kept[] = {0, 2, 3, 5, 6};
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned k = 0; k < 5; ++k) EXPECT_EQ(out[5 * t + k], 8 * t + kept[k]) << t;
  const auto upper = run("keeps_upper", {"u32[256]=iota", "out:u32[128]"});
  ASSERT_TRUE(upper) << to_text(upper.error());
  const words last = upper->buffer<std::uint32_t>(1);
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(last[4 * t + k], 8 * t + 4 + k) << t;
}

TEST(WideAccesses, MoveDoublesOfSomeLanes) {
  const auto done = run("adds_doubles", {"f64[128]=iota", "out:f64[128]", "u32=5"});
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<double> out = done->buffer<double>(1);
  for (unsigned n = 0; n < 128; ++n) EXPECT_EQ(out[n], n < 20 ? n + 1 + n % 4 : 0) << n;
}

// nvdisasm prints these encodings in the same way.
TEST(WideAccesses, ArePrintedAsByNvdisasm) {
  struct row {
    std::uint64_t low, high;
    const char* text;
  };
  constexpr row rows[] = {
      {0xfe0002040404797e, 0x0000000008121908, "LDG.E.ENL2.256 R8, R4, desc[UR4][R4.64+0x40]"},
      {0xda0000040404797e, 0x0000000008129908, "LDG.E.ENL2.256.CONSTANT R8, R4, desc[UR4][R4.64], 0xed"},
      {0xe000000402ff797e, 0x0000000008121908, "LDG.E.ENL2.256 R8, RZ, desc[UR4][R2.64], 0xf0"},
      {0x1e0000040208797e, 0x00000000081218ff, "LDG.E.ENL2.256 RZ, R8, desc[UR4][R2.64], 0xf"},
      {0xfe0000040208097e, 0x000000000812190c, "@P0 LDG.E.ENL2.256 R12, R8, desc[UR4][R2.64]"},
      {0xff0d40060404797e, 0x0000000008121908, "LDG.E.ENL2.256 R8, R4, desc[UR6][R4.64+-0x1e5800]"},
      {0xfe0002040208797e, 0x0000000008121d0c, "LDG.E.ENL2.LTC128B.256 R12, R8, desc[UR4][R2.64+0x40]"},
      {0xfe0002040208797e, 0x000000000813590c, "LDG.E.ENL2.256.STRONG.SYS R12, R8, desc[UR4][R2.64+0x40]"},
      {0xf8000110020c797f, 0x000000000f541804, "STG.E.NA.ELL2.256 desc[UR4][R2.64+0x20], R16, R12"},
      {0xf8008008040c797f, 0x000000000f001804, "STG.E.EF.EFL2.256 desc[UR4][R4.64+0x1000], R8, R12"},
      {0xf8008008040c797f, 0x000000000f12f804, "STG.E.ENL2.256.STRONG.GPU desc[UR4][R4.64+0x1000], R8, R12"},
  };
  for (const row& r : rows) EXPECT_EQ(sass::to_text(sass::instruction{r.low, r.high, sass::isa::blackwell}, 0), r.text);
}

TEST(WideAccesses, MustBeAligned) {
  fault_kind fault = fault_kind::none;
  const auto done = run("misses", {"out:u32[64]", "u32=16"}, &fault);
  ASSERT_FALSE(done);
  EXPECT_EQ(fault, fault_kind::misaligned_address);
  EXPECT_NE(done.error().message.find("writes 32 bytes"), std::string::npos) << done.error().message;
}

TEST(WideAccesses, CountTheirSectors) {
  const auto ran =
      test::prepare_kernel({.cubin = cubin_file, .kernel = "reverses", .arguments = {"u32[280]=iota", "out:u32[256]"}},
                           [](emulate::launch l, emulate::device_memory& memory, const auto&) -> result<done> {
                             l.counts_global = true;
                             const auto report = profile_launch(l, memory, *find_machine("sm_100"));
                             if (!report) return report.error();
                             EXPECT_EQ(report->global_sites.size(), 2u);
                             for (const global_site& s : report->global_sites) {
                               EXPECT_EQ(s.width_bytes, 32u) << s.sass;
                               EXPECT_EQ(s.requests, 1u) << s.sass;
                               EXPECT_EQ(s.sectors, 32u) << s.sass;
                               EXPECT_EQ(s.bytes, 1024u) << s.sass;
                             }
                             return done{};
                           });
  EXPECT_TRUE(ran) << to_text(ran.error());
}

}  // namespace
}  // namespace bankwise
