// Tests layouts of arrays of structs. The accesses are grouped by member of the struct.
#include "advise/structures.hpp"

#include <gtest/gtest.h>

#include "expr/names/machine_names.hpp"

namespace bankwise::advise {
namespace {

constexpr const char* body = "struct body { float x, y, z, m; };\n";

// Makes an access in which each lane reads or writes `width` bytes at offset `at` of its own struct.
weighted_access of_member(u32 struct_bytes, u32 at, unsigned width, op_kind kind = op_kind::load) {
  weighted_access w;
  w.what.op.kind = kind;
  w.what.op.width_bytes = static_cast<decltype(w.what.op.width_bytes)>(width);
  w.what.mask = full_mask;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) w.what.address[lane] = lane * struct_bytes + at;
  return w;
}

problem of(std::uint64_t bytes, std::vector<weighted_access> accesses) {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = bytes;
  p.groups.resize(1);
  p.accesses = std::move(accesses);
  return p;
}

TEST(Structures, AreReadWithTheirMembers) {
  const auto s = find_struct(body, "body");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->bytes, 16u);
  EXPECT_EQ(s->members, (std::vector<struct_member>{{"x", 0, 4}, {"y", 4, 4}, {"z", 8, 4}, {"m", 12, 4}}));
  EXPECT_EQ(find_struct("typedef struct { char c; double d; } pair;", "pair")->bytes, 16u);
  EXPECT_EQ(find_struct("struct __align__(16) s { float3 p; unsigned int n[2]; };", "s")->bytes, 32u);
  EXPECT_EQ(find_struct("struct s { float3 p; unsigned int n[2]; };", "s")->members[1], (struct_member{"n", 12, 8}));
}

TEST(Structures, WhoseBytesWouldBeAGuessAreNone) {
  for (const char* source :
       {"struct s;", "struct s : base { int a; };", "struct s { other a; };", "struct s { int a : 3; };",
        "struct s { int f() { return 1; } };", "struct s { int a[N]; };",
        "struct s { int a; }; namespace b { struct s { float a; }; }", "struct s { int a;", "struct s {};",
        "template <class T> struct s { T a; };", "struct s { int *a; };", "struct", "struct __align__(", ""})
    EXPECT_FALSE(find_struct(source, "s")) << source;
}

TEST(Structures, MembersApartAndLongerStructsAreCounted) {
  const auto s = *find_struct(body, "body");
  const auto c = count_structures(of(512, {of_member(16, 0, 4), of_member(16, 12, 4)}), s, false);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->before, 8u);
  EXPECT_EQ(c->apart, 2u);
  EXPECT_EQ(c->longer, 2u);
  EXPECT_EQ(c->longer_by, 4u);
  EXPECT_EQ(
      structures_note(*c, s, 32),
      "a struct of arrays, x[32], y[32], z[32] and m[32], takes 2 wavefronts instead of 8; with 4 bytes of padding, "
      "body has 20 bytes instead of 16, and takes 2 wavefronts");
}

TEST(Structures, SeveralMembersAtOnceAreAnAccessForEach) {
  const auto s = *find_struct(body, "body");
  const auto c = count_structures(of(512, {of_member(16, 0, 16)}), s, false);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->before, 4u);
  EXPECT_EQ(c->apart, 4u);
  // Longer structs would make the wide access misaligned.
  EXPECT_EQ(c->longer_by, 0u);
  EXPECT_EQ(count_structures(of(512, {of_member(16, 0, 16), of_member(16, 0, 4)}), s, true)->longer, 5u);
  EXPECT_EQ(structures_note(*c, s, 32), "");
  EXPECT_FALSE(count_structures(of(512, {of_member(16, 0, 8, op_kind::atomic)}), s, false));
  EXPECT_FALSE(count_structures(of(512, {of_member(16, 2, 4)}), s, false));
  EXPECT_FALSE(count_structures(of(512, {of_member(16, 12, 8)}), s, false));
  EXPECT_FALSE(count_structures(of(500, {of_member(16, 0, 4)}), s, false));
}

}  // namespace
}  // namespace bankwise::advise
