// Compares the questions of tests/cli/questions.test and more_questions.test with the counts of an H100: each access by
// itself, and the kernels of examples/questions/. The kernels of copies.cu have no bank conflicts, but the counter of
// conflicts is not zero.
#include <gtest/gtest.h>

#include <map>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "expr/pattern_table.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/measured.hpp"

namespace bankwise {
namespace {

struct question {
  std::string number, access;
  pattern what;
  std::uint64_t measured = 0;
};

std::vector<question> read_questions(const std::string& file) {
  const std::string text = test::read_text(test::source_path("data/sm_90/" + file));
  std::vector<question> all;
  auto table = pattern_table::open(text, file);
  EXPECT_TRUE(table) << to_text(table.error());
  while (table) {
    const auto row = table->next();
    EXPECT_TRUE(row) << to_text(row.error());
    if (!row || !*row) break;
    const auto field = [&](const char* name) { return std::string(table->field(name).value()); };
    all.push_back({field("question"), field("access"), **row, parse_u64(field("wavefronts")).value()});
  }
  return all;
}

TEST(Questions, AccessesCostWhatTheH100Counted) {
  for (const std::string file : {"questions.csv", "more_questions.csv"}) {
    const auto all = read_questions(file);
    EXPECT_GE(all.size(), 30u) << file;
    for (const question& q : all) EXPECT_EQ(wavefronts(q.what.what), q.measured) << q.number << ": " << q.access;
  }
}

// A launch of copies.cu, with its counters for loads, stores and conflicts.
struct copy {
  std::string kernel;
  std::uint32_t blocks = 0;
  std::uint64_t loads = 0, stores = 0, load_conflicts = 0, store_conflicts = 0, conflicts = 0;
};

std::vector<copy> read_copies() {
  const std::string path = test::source_path("data/sm_90/question_copies.csv"), text = test::read_text(path);
  csv_reader reader(text, path);
  std::vector<copy> all;
  if (!reader.next()) return all;  // the header
  for (auto row = reader.next(); row && *row; row = reader.next()) {
    const auto number = [&](std::size_t i) { return parse_u64((**row).at(i).text).value(); };
    all.push_back({std::string((**row)[0].text), static_cast<std::uint32_t>(number(1)), number(2), number(3), number(4),
                   number(5), number(6)});
  }
  return all;
}

const launch_report& run_copy(const std::string& kernel, std::uint32_t blocks) {
  static std::map<std::string, test::kernel_run> known;
  const std::string name = kernel + " " + std::to_string(blocks);
  if (const auto at = known.find(name); at != known.end()) return at->second.launch();
  const std::string floats = "f32[" + std::to_string(blocks * 256) + "]";
  test::kernel_launch l{.cubin = "examples/questions/copies.cubin", .kernel = kernel};
  l.grid = {blocks, 1, 1};
  l.block = {256, 1, 1};
  if (kernel.starts_with("tile"))
    l.arguments = {"u16[512]=random:1"};
  else
    l.arguments = {"out:" + floats, floats + "=random:1"};
  auto run = test::run_kernel(l);
  EXPECT_TRUE(run) << to_text(run.error());
  return known.emplace(name, std::move(run.value())).first->second.launch();
}

// Returns the wavefronts of LDS or STS.
std::uint64_t wavefronts_of(const launch_report& l, const std::string& opcode) {
  std::uint64_t sum = 0;
  for (const site& s : l.sites)
    if (s.sass.find("LDGSTS") == std::string::npos && s.sass.find(opcode) != std::string::npos) sum += s.wavefronts;
  return sum;
}

constexpr std::uint32_t most_blocks_run = 1024;

TEST(Questions, CopiesShowOnTheSourcePageWhatTheyCost) {
  std::size_t compared = 0;
  for (const auto& m : test::read_measured(test::source_path("data/sm_90/question_kernels.csv"))) {
    const auto grid = split(m.rows.at(0), ',').at(1);
    const auto blocks = static_cast<std::uint32_t>(parse_u64(grid.substr(0, grid.find('x'))).value());
    if (blocks > most_blocks_run) continue;
    SCOPED_TRACE(m.kernel + " " + std::to_string(blocks));
    EXPECT_EQ(test::rows_of(run_copy(m.kernel, blocks)), m.rows);
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

// Both counters include everything that waits for the banks, so their difference is the cost of the accesses. The test
// executes only a part of each large launch, because all blocks of a launch behave alike.
TEST(Questions, TheCounterIsWhatTheyCostAndTheirWaiting) {
  for (const copy& c : read_copies()) {
    SCOPED_TRACE(c.kernel + " " + std::to_string(c.blocks));
    const std::uint32_t run = std::min(c.blocks, most_blocks_run);
    const launch_report& l = run_copy(c.kernel, run);
    EXPECT_EQ(wavefronts_of(l, "LDS") * (c.blocks / run), c.loads - c.load_conflicts);
    EXPECT_EQ(wavefronts_of(l, "STS") * (c.blocks / run), c.stores - c.store_conflicts);
    EXPECT_EQ(l.sum.wavefronts, l.sum.ideal);
  }
}

// --- kernels of other projects, before and after a change

struct patch {
  std::string kernel;
  std::uint64_t loads = 0, stores = 0;
};

std::vector<patch> read_patches() {
  const std::string path = test::source_path("data/sm_90/question_patches.csv"), text = test::read_text(path);
  csv_reader reader(text, path);
  std::vector<patch> all;
  if (!reader.next()) return all;  // the header
  for (auto row = reader.next(); row && *row; row = reader.next())
    all.push_back(
        {std::string((**row)[0].text), parse_u64((**row)[1].text).value(), parse_u64((**row)[2].text).value()});
  return all;
}

launch_report run_patch(const std::string& kernel) {
  test::kernel_launch l{.cubin = "examples/questions/patches.cubin", .kernel = kernel};
  l.arguments = {"out:f32[8192]"};
  if (!kernel.starts_with("dq")) l.arguments.push_back("f32[4096]=iota");
  l.block = {128, 1, 1};
  for (const char* of_a_warp : {"utccp", "rows", "keys", "chunks"})
    if (kernel.starts_with(of_a_warp)) l.block = {32, 1, 1};
  if (kernel.starts_with("transpose")) l.block = {8, 32, 1};
  if (kernel.starts_with("degree")) l.block = {8, 8, 1};
  auto run = test::run_kernel(l);
  EXPECT_TRUE(run) << to_text(run.error());
  return run ? run->launch() : launch_report();
}

TEST(Questions, PatchesCostWhatTheH100Counted) {
  const auto all = read_patches();
  EXPECT_EQ(all.size(), 16u);
  for (const patch& p : all) {
    const launch_report l = run_patch(p.kernel);
    EXPECT_EQ(wavefronts_of(l, "LDS"), p.loads) << p.kernel;
    EXPECT_EQ(wavefronts_of(l, "STS"), p.stores) << p.kernel;
  }
}

}  // namespace
}  // namespace bankwise
