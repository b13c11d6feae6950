// Compares accesses to a cluster's memory with the counts of an H100. Every row of data/sm_90/cluster_memory.csv is a
// launch of tests/probes/cluster_memory.cu.
#include <gtest/gtest.h>

#include <map>

#include "bankwise/source_page.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "expr/names/operation_names.hpp"
#include "support/files.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

struct row {
  std::string what;
  std::vector<u32> parameters;
  u32 mask = 0;
  std::map<std::string, std::uint64_t> count;  // by column
};

std::vector<row> measured() {
  std::vector<row> rows;
  for (const test::table_row& from :
       test::read_table(test::read_text(test::source_path("data/sm_90/cluster_memory.csv")), "cluster_memory.csv")) {
    row& r = rows.emplace_back();
    for (const auto& [column, value] : from) {
      if (column == "what")
        r.what = value;
      else if (column == "mask")
        r.mask = static_cast<u32>(parse_u64("0x" + value).value());
      else if (column == "parameters")
        for (const std::string_view n : split(value, ' '))
          r.parameters.push_back(static_cast<u32>(parse_u64(n).value()));
      else
        r.count[column] = parse_u64(value).value();
    }
  }
  return rows;
}

// Both instructions load from the same addresses. LD [R2.64] never merges phases. ld.shared::cluster becomes LD [R2],
// which merges phases as LDS does.
TEST(ClusterMemory, LoadsOfTheOwnBlock) {
  unsigned rows = 0, merged = 0;
  u32 before = 0;
  for (const row& r : measured()) {
    if (r.what == "copy") continue;
    const bool is_generic = r.what.starts_with("ld.generic");
    const u32 bytes = r.what.ends_with("b128") ? 16 : 8;
    const access a = make_access(
        is_generic ? ld_generic(bytes) : ld(bytes), [&](u32 lane) { return r.parameters.at(lane); }, r.mask);
    EXPECT_EQ(wavefronts(a), r.count.at("op_ld")) << "row " << rows;
    EXPECT_EQ(source_page(a).wavefronts, r.count.at("source_page")) << "row " << rows;
    merged += !is_generic && wavefronts(a) != before;
    before = wavefronts(a);
    ++rows;
  }
  EXPECT_EQ(rows, 160u);
  EXPECT_GT(merged, 0u) << "no row shows a difference between the two instructions";
}

// A copy from one block's shared memory to another block's shared memory takes no wavefronts. The copy takes one bank
// access for each 4 bytes in the source block, and one in the destination block.
TEST(ClusterMemory, CopiesBetweenBlocks) {
  unsigned copies = 0;
  std::map<std::string, std::uint64_t> around;
  for (const row& r : measured()) {
    if (r.what != "copy") continue;
    if (r.parameters.at(0) == 0) around = r.count;  // the counts of the instructions around a copy
    const u32 words = r.parameters.at(0) / 4;
    for (const auto& [column, count] : r.count)
      EXPECT_EQ(count - around.at(column), column.starts_with("bank") ? words : 0) << column << ", copy " << copies;
    ++copies;
  }
  EXPECT_EQ(copies, 81u);
}

}  // namespace
}  // namespace bankwise
