// Tests the remedies for accesses to global memory, and the number of sectors after each remedy.
#include "advise/sectors/global_remedies.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

struct found {
  u64 before = 0, after = 0, requests = 0;
  std::string command;
};

// Returns the remedy with this name, or zeros if this remedy was not suggested.
found remedy(const flag_values& flags, const std::string& text, std::string_view id) {
  const auto q = read_global_question(flags, text);
  EXPECT_TRUE(q) << text << "\n" << to_text(q.error());
  if (!q) return {};
  for (const advise::global_remedy& r : advise::remedies_of(flags, text, "", *q))
    if (r.id == id) return {r.before.sectors, r.after.sectors, r.after.requests, r.command};
  return {};
}
void expect_remedy(const flag_values& flags, const std::string& text, std::string_view id, u64 before, u64 after,
                   u64 requests) {
  const found f = remedy(flags, text, id);
  EXPECT_EQ(f.before, before) << text << " " << id;
  EXPECT_EQ(f.after, after) << text << " " << id;
  EXPECT_EQ(f.requests, requests) << text << " " << id;
}
std::size_t remedies(const flag_values& flags, const std::string& text) {
  const auto q = read_global_question(flags, text);
  return q ? advise::remedies_of(flags, text, "", *q).size() : 0;
}

TEST(GlobalRemedies, OfThreeFloats) {
  const flag_values flags{{{"type", {"float3"}}}};
  expect_remedy(flags, "p[t]", "soa", 36, 12, 3);
  expect_remedy(flags, "p[t]", "wider", 36, 16, 1);
  expect_remedy(flags, "p[t]", "shared", 36, 12, 3);
}

TEST(GlobalRemedies, OfAMemberOfAStruct) {
  const flag_values flags{{{"array", {"struct P { float x, y, z, w; } p[1024]"}}}};
  expect_remedy(flags, "p[t].x", "soa", 16, 4, 1);
  expect_remedy(flags, "p[t].x", "vector", 64, 16, 1);
  expect_remedy({{{"type", {"float4"}}, {"width", {"4"}}}}, "p[t].z", "soa", 16, 4, 1);
}

TEST(GlobalRemedies, OfAColumn) {
  const flag_values flags{{{"array", {"float a[1024][1024]"}}, {"block", {"32,8"}}}};
  expect_remedy(flags, "a[threadIdx.x][threadIdx.y]", "shared", 32, 4, 1);
  const found f = remedy(flags, "a[threadIdx.x][threadIdx.y]", "threads");
  EXPECT_EQ(f.before, 256u);
  EXPECT_EQ(f.after, 32u);
  EXPECT_NE(f.command.find("a[threadIdx.y][threadIdx.x]"), std::string::npos);
}

TEST(GlobalRemedies, OfAStride) {
  expect_remedy({}, "x[t * 2]", "neighbours", 8, 4, 1);
  expect_remedy({}, "x[t * 4 + 1]", "vector", 64, 16, 1);
  expect_remedy({}, "x[t * 3]", "neighbours", 12, 4, 1);
}

TEST(GlobalRemedies, OfWhatBeginsInASector) {
  expect_remedy({}, "x[t + 1]", "shift", 5, 4, 1);
  expect_remedy({{{"base", {"4"}}}}, "x[t]", "align", 5, 4, 1);
  expect_remedy({{{"array", {"float a[64][1001]"}}}}, "a[1][t]", "pitch", 5, 4, 1);
  expect_remedy({{{"let", {"n=1001"}}, {"block", {"32,4"}}}}, "a[threadIdx.y * n + threadIdx.x]", "pitch", 19, 16, 4);
}

TEST(GlobalRemedies, OfABlockWhoseWarpsAreNoRows) {
  const flag_values flags{{{"array", {"float a[1024][1024]"}}, {"block", {"4,64"}}}};
  const found f = remedy(flags, "a[threadIdx.y][threadIdx.x]", "block");
  EXPECT_EQ(f.before, 64u);
  EXPECT_EQ(f.after, 32u);
}

TEST(GlobalRemedies, OfBytes) { expect_remedy({{{"type", {"char"}}}}, "x[t]", "vector", 4, 4, 1); }

TEST(GlobalRemedies, AreNoneWhereNothingIsLost) {
  EXPECT_EQ(remedies({}, "x[t]"), 0u);
  EXPECT_EQ(remedies({}, "x[0]"), 0u);
  EXPECT_EQ(remedies({{{"type", {"float4"}}}}, "x[t]"), 0u);
  EXPECT_EQ(remedies({}, "x[31 - t]"), 0u);
  EXPECT_EQ(remedies({{{"mask", {"0"}}}}, "x[t]"), 0u);
}

}  // namespace
}  // namespace bankwise
