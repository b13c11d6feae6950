// Tests questions about global memory and the accesses of these questions. The questions include all patterns that were
// counted on an H100.
#include "expr/global_question.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/files.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

named_global_access asked(const flag_values& flags, const std::string& text) {
  const auto q = read_global_question(flags, text);
  EXPECT_TRUE(q) << text << "\n" << to_text(q.error());
  return q ? *q : named_global_access{};
}
u32 sectors_of(const flag_values& flags, const std::string& text) { return cost_of(asked(flags, text).what).sectors; }
std::string flag_of_error(const flag_values& flags, const std::string& text) {
  const auto q = read_global_question(flags, text);
  EXPECT_FALSE(q) << text;
  return q ? "" : q.error().flag;
}

TEST(GlobalQuestion, TakesANameWithAnIndexForAnArray) {
  const named_global_access q = asked({}, "x[t * 2]");
  EXPECT_EQ(q.op.spelling, "ld.global.b32");
  EXPECT_EQ(q.what.addresses[3], 24u);
  EXPECT_EQ(q.title, "x[t * 2]");
  EXPECT_TRUE(q.is_array_assumed);
  EXPECT_TRUE(q.notes.empty());
  EXPECT_EQ(sectors_of({}, "x[t * 2]"), 8u);
  EXPECT_EQ(sectors_of({{{"type", {"double"}}}}, "x[t]"), 8u);
  EXPECT_EQ(sectors_of({}, "y[t] = x[t * 2];"), 8u);  // the line contains a load and a store, and the load is first
  EXPECT_EQ(sectors_of({{{"op", {"st"}}}}, "y[t] = x[t * 2];"), 4u);
  EXPECT_EQ(sectors_of({}, "((float4*)x)[t]"), 16u);
  EXPECT_EQ(sectors_of({{{"let", {"n=1000"}}}}, "x[t * n + 1]"), 32u);
}

TEST(GlobalQuestion, PlacesEveryArrayInAnAllocationOfItsOwn) {
  const flag_values flags{{{"array", {"float a[7]", "float b[100000000]"}}}};
  EXPECT_EQ(asked(flags, "b[t]").what.addresses[1], 4u);
  EXPECT_EQ(asked(flags, "b[t + 99999968]").what.addresses[31], 399999996u);
  EXPECT_EQ(asked(flags, "b[t]").notes.size(), 0u);
  EXPECT_EQ(asked(flags, "a[t]").notes.size(), 1u);  // the index is outside of the array
}

TEST(GlobalQuestion, MovesTheBase) {
  EXPECT_EQ(sectors_of({{{"base", {"4"}}}}, "x[t]"), 5u);
  EXPECT_EQ(sectors_of({{{"base", {"32"}}}}, "x[t]"), 4u);
  EXPECT_EQ(flag_of_error({{{"base", {"2"}}}}, "x[t]"), "base");
  EXPECT_EQ(flag_of_error({{{"base", {"-4"}}}}, "x[t]"), "base");
  EXPECT_EQ(sectors_of({{{"pad", {"4000:96"}}, {"type", {"float"}}}}, "1000 + t"), 4u);
}

TEST(GlobalQuestion, TakesAddressesOfAProgram) {
  const named_global_access q = asked({}, "0x7f0000000000,0x7f0000000080,-,0x7f0000000004");
  EXPECT_EQ(cost_of(q.what).sectors, 2u);
  EXPECT_EQ(q.what.mask, 0xbu);
  EXPECT_FALSE(q.can_move);
}

TEST(GlobalQuestion, CountsThePiecesOfAnElement) {
  const named_global_access q = asked({{{"type", {"float3"}}}}, "p[t]");
  ASSERT_EQ(q.pieces.size(), 3u);
  for (const global_cost& c : q.pieces) EXPECT_EQ(c.sectors, 12u);
  EXPECT_TRUE(asked({{{"type", {"float4"}}}}, "p[t]").pieces.empty());
}

TEST(GlobalQuestion, CountsOtherWarpsAndOtherAccesses) {
  const flag_values flags{{{"block", {"16,16"}}, {"let", {"n=100"}}}};
  const named_global_access q = asked(flags, "y[t] = x[threadIdx.y * n + threadIdx.x];");
  EXPECT_EQ(q.warps.size(), 8u);
  ASSERT_EQ(q.others.size(), 1u);
  EXPECT_EQ(q.others[0].operation, "st.global.b32");
}

TEST(GlobalQuestion, KnowsOperationsOfGlobalMemory) {
  for (const auto& [name, spelling] :
       std::map<std::string, std::string>{{"ld.global.nc.v4.f32", "ld.global.b128"},
                                          {"LDG.E.64.CONSTANT", "ld.global.b64"},
                                          {"STG.E.128", "st.global.b128"},
                                          {"ld.v8.b32", "ld.global.b256"},
                                          {"red.global.add.v4.f32", "red.global.add.b128"},
                                          {"RED.E.ADD.F32.FTZ.RN", "red.global.add.b32"},
                                          {"ATOMG.E.ADD.STRONG.GPU", "atom.global.add.b32"},
                                          {"atomicAdd", "atom.global.add.b32"},
                                          {"atom.cas.b128", "atom.global.cas.b128"},
                                          {"cp.async.cg.shared.global", "cp.async.cg.16"},
                                          {"LDGSTS.E.BYPASS.128", "cp.async.cg.16"},
                                          {"cp.async.ca.8", "cp.async.ca.8"}}) {
    const auto op = parse_global_operation(name);
    ASSERT_TRUE(op) << name << "\n" << to_text(op.error());
    EXPECT_EQ(op->spelling, spelling) << name;
  }
  for (const char* name :
       {"ldmatrix.x4", "popc.inc", "wgmma", "ld.b24", "ld.b512", "st.shaded", "cp.async.cg.8", "loaf"})
    EXPECT_FALSE(parse_global_operation(name)) << name;
}

TEST(GlobalQuestion, RefusesFlagsOfTheOtherMemory) {
  using flags = flag_values;
  EXPECT_EQ(*read_memory({}), asked_memory::shared);
  EXPECT_EQ(*read_memory(flags{{{"space", {"global"}}}}), asked_memory::global);
  EXPECT_EQ(*read_memory(flags{{{"op", {"LDG.E.64"}}}}), asked_memory::global);
  EXPECT_EQ(*read_memory(flags{{{"op", {"cp.async.ca.shared.global"}}}}), asked_memory::shared);
  EXPECT_EQ(read_memory(flags{{{"space", {"local"}}}}).error().flag, "space");
  EXPECT_EQ(read_memory(flags{{{"space", {"shared"}}, {"op", {"ld.global.f32"}}}}).error().flag, "op");
  EXPECT_EQ(read_memory(flags{{{"space", {"global"}}, {"phases", {"32,16,8"}}}}).error().flag, "phases");
  EXPECT_EQ(read_memory(flags{{{"space", {"global"}}, {"source", {"t"}}}}).error().flag, "source");
  EXPECT_EQ(read_memory(flags{{{"base", {"4"}}}}).error().flag, "base");
  EXPECT_EQ(flag_of_error({{{"arch", {"10x4"}}}}, "x[t]"), "arch");
  EXPECT_EQ(flag_of_error({{{"arch", {"cdna3"}}}}, "x[t]"), "arch");
  EXPECT_EQ(flag_of_error({{{"arch", {"sm_35"}}}}, "x[t]"), "arch");
  EXPECT_EQ(flag_of_error({{{"op", {"ldmatrix.x4"}}}}, "x[t]"), "op");
  EXPECT_EQ(flag_of_error({{{"to", {"t"}}}}, "x[t]"), "to");
}

// Returns the PTX name of the operation in a row of the table.
std::string operation_of(const std::string& access) {
  const std::map<std::string, std::string> others = {
      {"redf32", "red.add.f32"},   {"redf64", "red.add.f64"},      {"redh2", "red.add.f16x2"},
      {"redv4", "red.add.v4.f32"}, {"atom_add32", "atom.add.u32"}, {"atom32", "atom.exch.b32"},
      {"generic32", "ld.b32"},     {"generic_st64", "st.b64"},     {"cpg16_part", "cp.async.cg.16"}};
  if (const auto at = others.find(access); at != others.end()) return at->second;
  const std::size_t digits = access.find_last_not_of("0123456789") + 1;
  const std::string name = access.substr(0, digits), bits = access.substr(digits);
  if (name == "ldca") return "ld.ca.b" + bits;
  if (name == "ldcg") return "ld.cg.b" + bits;
  if (name == "ldnc") return "ld.nc.b" + bits;
  if (name == "cas") return "atom.cas.b" + bits;
  if (name == "cp") return "cp.async.ca." + bits;
  if (name == "cpg") return "cp.async.cg." + bits;
  if (name == "red") return "red.add.u" + bits;
  return name + ".b" + bits;
}

TEST(GlobalQuestion, OfEveryPatternIsAnsweredAsAnH100Counted) {
  const std::string file = "data/sm_90/global_patterns.csv.zst";
  int page_rows = 0, counter_rows = 0;
  for (const test::table_row& row : test::read_table(test::read_zstd(test::source_path(file)), file)) {
    const std::string access = row.at("access");
    std::string list = row.at("offsets");
    for (char& c : list) c = c == ' ' ? ',' : c;
    const flag_values flags{{{"op", {operation_of(access)}}, {"mask", {row.at("mask")}}}};
    const auto q = read_global_question(flags, list, "the list");
    ASSERT_TRUE(q) << access << " " << list << "\n" << to_text(q.error());
    const global_explanation e = explain(q->what);
    const bool is_atomic = access.starts_with("atom") || access.starts_with("cas") || access.starts_with("red");
    if (!row.at("counter_sectors").empty() && !is_atomic) {
      global_access hardware = q->what;
      hardware.past_l1 = false;
      EXPECT_EQ(std::to_string(explain(hardware).sectors), row.at("counter_sectors")) << access << " " << list;
      ++counter_rows;
    }
    if (row.at("page_tag_requests").empty()) continue;
    EXPECT_EQ(std::to_string(e.lines), row.at("page_tag_requests")) << access << " " << list;
    // For a cp.async.cg with a guard, the source page assumes that either all lanes or no lanes are active.
    if (q->what.past_l1 && row.at("lanes_off_by") == "guard") continue;
    EXPECT_EQ(std::to_string(e.sectors), row.at("page_sectors")) << access << " " << list;
    EXPECT_EQ(std::to_string(e.total.sectors_ideal), row.at("page_ideal")) << access << " " << list;
    ++page_rows;
  }
  EXPECT_GT(page_rows, 1500);
  EXPECT_GT(counter_rows, 900);
}

}  // namespace
}  // namespace bankwise
