// Changed traces touch the sectors that a better access touches, and take its time.
#include "timing/trace/fewer_sectors.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "timing/launch/launch_time.hpp"

namespace bankwise::timing {
namespace {

constexpr std::uint64_t waits_for_nothing = std::uint64_t{4} << 41 | std::uint64_t{7} << 46 | std::uint64_t{7} << 49;
constexpr traced_code load{0, 0x7981, waits_for_nothing}, store{16, 0x7986, waits_for_nothing};

// A block of 8 warps on each multiprocessor. Each warp executes both instructions in each of 64 rounds.
launch_trace empty_trace() {
  launch_trace t;
  t.grid = {132, 1, 1};
  t.block = {256, 1, 1};
  t.code = {load, store};
  t.touching = {0};
  t.blocks.emplace_back();
  return t;
}

constexpr unsigned warps = 8, rounds = 64;

void add_access(launch_trace& t, std::uint32_t code, std::initializer_list<std::uint64_t> lines,
                std::uint16_t wavefronts) {
  t.accesses.push_back({.code = code,
                        .space = memory_space::global,
                        .does = code == 0 ? memory_action::load : memory_action::store,
                        .wavefronts = wavefronts,
                        .lines = static_cast<std::uint16_t>(lines.size()),
                        .first_line = static_cast<std::uint32_t>(t.lines.size())});
  t.lines.insert(t.lines.end(), lines);
}

// `both` adds the accesses of one round.
template <class Both>
launch_trace trace_of(Both both) {
  launch_trace t = empty_trace();
  for (unsigned w = 0; w < warps; ++w) {
    traced_warp& warp = t.blocks[0].warps.emplace_back();
    for (unsigned i = 0; i < rounds; ++i) {
      const auto first = static_cast<std::uint32_t>(t.accesses.size());
      both(t, std::uint64_t{w} * rounds + i);
      warp.runs.push_back({0, 2, first, 2, 32});
    }
    warp.instructions = 2 * rounds;
    t.blocks[0].instructions += 2 * rounds;
  }
  t.instructions = t.blocks[0].instructions * 132;
  for (const line_sectors l : t.lines) t.touched.push_back({l, 0, 0, line_number(l) >= 1'000'000});
  return t;
}

constexpr std::uint64_t stored = std::uint64_t{1'000'000} << 4;

// Each lane accesses 4 of 32 bytes, so an access of 32 lanes touches 8 whole lines.
launch_trace with_stride() {
  return trace_of([](launch_trace& t, std::uint64_t n) {
    std::uint64_t l[8];
    for (std::uint64_t i = 0; i < 8; ++i) l[i] = (n * 8 + i) << 4 | 15;
    add_access(t, 0, {l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]}, 8);
    add_access(t, 1,
               {stored + l[0], stored + l[1], stored + l[2], stored + l[3], stored + l[4], stored + l[5], stored + l[6],
                stored + l[7]},
               8);
  });
}

launch_trace without_stride() {
  return trace_of([](launch_trace& t, std::uint64_t n) {
    add_access(t, 0, {n << 4 | 15}, 1);
    add_access(t, 1, {stored + (n << 4 | 15)}, 1);
  });
}

std::vector<line_sectors> lines_of(const launch_trace& t, std::size_t access) {
  const traced_access& a = t.accesses[access];
  return {t.lines.begin() + a.first_line, t.lines.begin() + a.first_line + a.lines};
}

TEST(FewerSectors, AnAccessKeepsTheFirstLines) {
  const launch_trace t = with_stride();
  fewer_sectors f(t);
  EXPECT_TRUE(f.change({{0.125F}, {0.5F}}));
  EXPECT_EQ(lines_of(f.trace(), 0), std::vector<line_sectors>{15});
  EXPECT_EQ(f.trace().accesses[0].wavefronts, 1);
  EXPECT_EQ(lines_of(f.trace(), 1).size(), 4u);
  f.restore();
  EXPECT_EQ(f.trace().lines, t.lines);
  EXPECT_EQ(lines_of(f.trace(), 1), lines_of(t, 1));
  EXPECT_FALSE(f.change({{0.5F}, {}})) << "no store has changed";
}

// Returns the lines of all accesses, each of which must touch one whole line.
std::set<line_sectors> whole_lines_of(const launch_trace& t) {
  std::set<line_sectors> all;
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const auto lines = lines_of(t, i);
    EXPECT_EQ(lines.size(), 1u);
    for (const line_sectors l : lines) EXPECT_EQ(sectors_of(l), 15u);
    all.insert(lines.begin(), lines.end());
  }
  return all;
}

// 8 accesses touch the same 32 sectors, each of a different line. They are 8 columns of a matrix.
TEST(FewerSectors, ColumnsTakeDifferentPartsOfTheirSectors) {
  launch_trace t = empty_trace();
  for (unsigned sector = 0; sector < 4; ++sector)
    for (unsigned column = 0; column < 8; ++column) {
      t.accesses.push_back({.space = memory_space::global,
                            .wavefronts = 8,
                            .lines = 32,
                            .first_line = static_cast<std::uint32_t>(t.lines.size())});
      for (std::uint64_t row = 0; row < 32; ++row) t.lines.push_back(row << 4 | 1u << sector);
    }
  fewer_sectors f(t);
  f.change({{0.125F}, {}});
  EXPECT_EQ(whole_lines_of(f.trace()).size(), 32u) << "all together touch the same 128 sectors as before";
}

// Each lane has a row of two sectors, so a line has the rows of two lanes. 8 accesses touch the first sector of each row,
// and 8 accesses the second one.
TEST(FewerSectors, HalvesOfRowsGetDifferentLines) {
  launch_trace t = empty_trace();
  for (const unsigned sectors : {5u, 10u})
    for (unsigned element = 0; element < 8; ++element) {
      t.accesses.push_back({.space = memory_space::global,
                            .wavefronts = 16,
                            .lines = 16,
                            .first_line = static_cast<std::uint32_t>(t.lines.size())});
      for (std::uint64_t line = 0; line < 16; ++line) t.lines.push_back(line << 4 | sectors);
    }
  fewer_sectors f(t);
  f.change({{0.125F}, {}});
  EXPECT_EQ(whole_lines_of(f.trace()).size(), 16u) << "all together touch the same 64 sectors as before";
}

// A row begins in the middle of a line. Aligned, each access has one line, also if several accesses touch the same row.
TEST(FewerSectors, AlignedAccessesKeepTheFirstSectors) {
  launch_trace t = empty_trace();
  for (unsigned i = 0; i < 2; ++i) add_access(t, 0, {7 << 4 | 14, 8 << 4 | 3}, 1);
  fewer_sectors f(t);
  f.change({{0.8F, sector_form::aligned}, {}});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(lines_of(f.trace(), i), std::vector<line_sectors>{7 << 4 | 15}) << i;
}

TEST(FewerSectors, StagedAccessesAlsoPassThroughSharedMemory) {
  const launch_trace t = with_stride();
  fewer_sectors f(t);
  f.change({{0.125F, sector_form::staged}, {}});
  EXPECT_EQ(f.trace().accesses[0].wavefronts, 3) << "one for the line, one to store, one to load";
}

// If four loads touch the same sector, one load of all four values is enough.
TEST(FewerSectors, OneOfSeveralLoadsRemains) {
  launch_trace t = empty_trace();
  for (unsigned i = 0; i < 4; ++i) add_access(t, 0, {7 << 4 | 2}, 1);
  fewer_sectors f(t);
  f.change({{0.25F}, {}});
  EXPECT_EQ(lines_of(f.trace(), 0), std::vector<line_sectors>{7 << 4 | 1});
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(f.trace().accesses[i].bytes, 0) << i;
}

TEST(FewerSectors, TakeTheTimeOfABetterAccess) {
  const launch_trace before = with_stride(), after = without_stride();
  const gpu_parameters gpu;
  const double cycles = predict_cycles(before, gpu), fewer = predict_cycles(after, gpu);
  EXPECT_GT(cycles, 1.5 * fewer);
  changed_launch launch(before, gpu);
  const std::vector<changed_instruction> both{{0, {}, {0.125F}}, {1, {}, {0.125F}}};
  EXPECT_NEAR(launch.part_with(both) * cycles / fewer, 1, 0.02);
  EXPECT_EQ(launch.part_with({}), 1) << "the launch is as recorded again";
  EXPECT_NEAR(launch.part_with(both) * cycles / fewer, 1, 0.02);
}

// Registers in local memory cost nothing if the compiler finds registers for them.
TEST(FewerSectors, WithoutLocalMemoryOnlyTheInstructionsRemain) {
  launch_trace local = with_stride();
  for (traced_access& a : local.accesses) a.space = memory_space::local;
  const std::vector<changed_instruction> none{{0, {}, {0}}, {1, {}, {0}}};
  launch_trace bare = local;
  for (traced_access& a : bare.accesses) a.bytes = 0;
  const gpu_parameters gpu;
  changed_launch launch(local, gpu);
  EXPECT_NEAR(launch.part_with(none) * predict_cycles(local, gpu), predict_cycles(bare, gpu), 1);
}

}  // namespace
}  // namespace bankwise::timing
