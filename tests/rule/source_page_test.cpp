// Compares the model of source_page.hpp with all rows of data/sm_90 that come from Nsight Compute's source page. Each
// row is a single access. Other tests compare whole kernels.
#include "bankwise/source_page.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/text.hpp"
#include "expr/pattern_table.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

// The example at the beginning of source_page.hpp.
constexpr access rows_of_float2 = make_access(ld(8), [](u32 t) { return t % 16 / 2 * 32; });
static_assert(wavefronts(rows_of_float2) == 2);
static_assert(source_page(rows_of_float2) == page_count{4, 2});

// For these accesses, the source page shows the same number of wavefronts as the rule.
static_assert(source_page(make_access(ld(16), [](u32 t) { return t * 16; })) == page_count{4, 4});
static_assert(source_page(make_access(ld(16), [](u32 t) { return t / 2 * 16; })) == page_count{2, 2});
static_assert(source_page(make_access(ld(4), [](u32 t) { return t * 8; })) == page_count{2, 1});

// If all 32 lanes load one address, the rule and the source page give two wavefronts. If only 16 lanes or fewer are
// active, the rule still gives two wavefronts if they are in both halves, but the page shows one wavefront.
constexpr access one_address = make_access(ld(16), [](u32) { return 0; });
constexpr access part_of(access a, u32 mask) { return a.mask = mask, a; }
static_assert(wavefronts(one_address) == 2 && source_page(one_address).wavefronts == 2);
static_assert(wavefronts(part_of(one_address, 0x80008000)) == 2);
static_assert(source_page(part_of(one_address, 0x80008000)).wavefronts == 1);
static_assert(source_page(part_of(one_address, 0x0001ffff)) == page_count{2, 2});

// The partners of these four lanes are inactive. If lane 31 is also active, the source page counts the two
// quarter-warps of the lower half separately, so it shows one more wavefront.
constexpr access scattered = make_access(
    ld(16), [](u32 t) { return t * 16; }, 1u << 4 | 1u << 10 | 1u << 17 | 1u << 22);
static_assert(wavefronts(scattered) == 2 && source_page(scattered).wavefronts == 2);
static_assert(wavefronts(part_of(scattered, scattered.mask | 1u << 31)) == 2);
static_assert(source_page(part_of(scattered, scattered.mask | 1u << 31)).wavefronts == 3);

// Three lanes copy. The first and the second lane share a bank in their sources. The first and the third lane share a
// bank in their destinations. The hardware serves the second and the third lane together, after the first lane.
constexpr access three_copies = make_access(
    cp_async(4), [](u32 t) { return t == 0   ? 4
                                    : t == 1 ? 8
                                             : 132; }, 7);
constexpr copy_source three_lines = {{0, 128, 8}};
static_assert(analyze(three_copies, three_lines).wavefronts == 2);
static_assert(source_page(three_copies, three_lines) == page_count{3, 1});

std::string reproduce(const pattern& p) {
  std::string s = "bankwise explain --op " + p.op.spelling + " --mask 0x" + hex(p.what.mask) + " '";
  for (u32 lane = 0; lane < 32; ++lane) s += (lane != 0 ? "," : "") + std::to_string(p.what.address[lane]);
  return s + "'";
}

struct columns {
  std::string wavefronts, ideal;  // columns with the page's numbers; `ideal` is empty if this number was not measured
};

struct seen {
  int rows = 0;
  int unlike_counter = 0;                 // number of rows where the page differs from the hardware counter
  int unlike_rule = 0;                    // number of rows where the page differs from the rule
  std::map<std::string, int> rows_by_op;  // number of rows by operation; the model agrees with all of them
};

seen compare(const std::string& text, const std::string& name, const columns& in) {
  seen all;
  auto table = pattern_table::open(text, name);
  EXPECT_TRUE(table) << to_text(table.error());
  for (;;) {
    const auto row = table->next();
    EXPECT_TRUE(row) << to_text(row.error());
    if (!row || !*row) return all;
    const pattern& p = **row;
    const auto number = [&](const std::string& column) { return parse_u64(table->field(column).value()).value(); };
    copy_source from = p.from;
    if (const auto reads = table->field("reads"); reads && !reads->empty())
      from.reads = static_cast<u32>(parse_u64("0x" + std::string(*reads)).value());
    const page_count ours = source_page(p.what, from);
    EXPECT_EQ(ours.wavefronts, number(in.wavefronts)) << name << ": " << reproduce(p);
    if (!in.ideal.empty()) {
      EXPECT_EQ(ours.ideal, number(in.ideal)) << name << ": " << reproduce(p);
    }
    if (const auto counter = table->field("counter")) {
      const u32 rule = wavefronts(p.what);
      EXPECT_EQ(rule, parse_u64(*counter)) << name << ": " << reproduce(p);
      all.unlike_counter += ours.wavefronts != rule;
    }
    all.unlike_rule += ours.wavefronts != analyze(p.what, from).wavefronts;
    ++all.rows;
    ++all.rows_by_op[p.op.spelling];
  }
}

TEST(SourcePage, WideLoadsThatHardwareMergesRegardless) {
  const seen all = compare(test::read_text(test::source_path("data/sm_90/source_page_wide.csv")),
                           "source_page_wide.csv", {"source_page", "source_page_ideal"});
  EXPECT_EQ(all.rows, 248);
  EXPECT_EQ(all.unlike_counter, 117);
}

TEST(SourcePage, ScatteredLanesOfWideLoads) {
  const seen all = compare(test::read_text(test::source_path("data/sm_90/sparse.csv")), "sparse.csv",
                           {"source_page_wavefronts", {}});
  EXPECT_EQ(all.rows, 240);
  EXPECT_EQ(all.unlike_rule, 47);
}

TEST(SourcePage, RandomAccessesOfEveryKind) {
  const seen all = compare(test::read_zstd(test::source_path("data/sm_90/source_page_patterns.csv.zst")),
                           "source_page_patterns.csv", {"wavefronts", "ideal"});
  EXPECT_EQ(all.rows, 15047);
  EXPECT_EQ(all.rows_by_op.size(), 23u);
  for (const auto& [op, rows] : all.rows_by_op) EXPECT_GE(rows, 127) << op;
  EXPECT_GE(all.unlike_rule, 2000);
}

// One address for some of the lanes, which a branch or a predicate makes inactive.
TEST(SourcePage, OneAddressForSomeLanes) {
  const seen all = compare(test::read_text(test::source_path("data/sm_90/source_page_uniform.csv")),
                           "source_page_uniform.csv", {"wavefronts", "ideal"});
  EXPECT_EQ(all.rows, 16);
  EXPECT_GE(all.unlike_rule, 1);
}

TEST(SourcePage, CopiesPastL1) {
  const seen all = compare(test::read_zstd(test::source_path("data/sm_90/cp_async_cg.csv.zst")), "cp_async_cg.csv",
                           {"wavefronts", "ideal"});
  EXPECT_EQ(all.rows, 1728);
}

// If a machine's loads do not merge, the page equals the rule.
TEST(SourcePage, OtherMachinesShowTheirRule) {
  const bank_model flat = flat_model(16, 8);
  EXPECT_EQ(source_page(rows_of_float2, flat),
            (page_count{analyze(rows_of_float2, flat).wavefronts, analyze(rows_of_float2, flat).ideal}));
  EXPECT_EQ(source_page(part_of(one_address, 0)), (page_count{0, 0}));
}

}  // namespace
}  // namespace bankwise
