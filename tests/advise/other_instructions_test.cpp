// Tests the suggestions to use wider instructions or ldmatrix for the loads of a line: when a suggestion is made, and
// what it costs.
#include <gtest/gtest.h>

#include "advise/other_instructions.hpp"

namespace bankwise::advise {
namespace {

const machine hopper = *parse_machine("sm_90");

// Makes a launch whose instructions all belong to one source line. Each instruction is a list of lane addresses.
struct one_line {
  launch_report l;

  explicit one_line(std::uint64_t instructions = 1000) {
    l.name = "kernel";
    l.has_accesses = true;
    l.sum.warp_instructions = instructions;
  }
  template <class Address>
  site& add(operation op, Address address, std::uint64_t count = 100, u32 mask = full_mask, std::uint32_t line = 7) {
    site s;
    s.pc = 16 * (l.sites.size() + 1);
    s.op = {op, spell(op), true};
    s.file = "k.cu";
    s.line = line;
    access a{op, mask, {}};
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((mask >> lane & 1) != 0) a.address[lane] = address(lane);
    s.accesses = {{a, count}};
    s.executed = count;
    l.sites.push_back(std::move(s));
    return l.sites.back();
  }
  std::vector<other_instructions> found() const { return find_other_instructions(l, hopper); }
};

// Each thread loads eight adjacent words. nvcc keeps narrow loads if the alignment is unknown.
TEST(OtherInstructions, WordsSideBySideAreWiderLoads) {
  one_line k;
  for (u32 i : {3u, 0u, 1u, 2u, 4u, 5u, 6u, 7u}) k.add(ld(4), [&](u32 lane) { return lane % 8 * 32 + 4 * i; });
  const auto found = k.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].before.spelling, "ld.b32");
  EXPECT_EQ(found[0].after.spelling, "ld.b128");
  EXPECT_EQ(found[0].instructions_before, 8u);
  EXPECT_EQ(found[0].instructions_after, 2u);
  EXPECT_EQ(found[0].executed_before, 800u);
  EXPECT_EQ(found[0].executed_after, 200u);
  EXPECT_EQ(found[0].sites.size(), 8u);
  access wide{ld(16), full_mask, {}};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) wide.address[lane] = lane % 8 * 32;
  EXPECT_EQ(found[0].wavefronts_after, 200 * analyze(wide, hopper.model).wavefronts);
}

// A load of 16 bytes takes two wavefronts, even if all lanes load the same bytes.
TEST(OtherInstructions, OneWordForAllLanesIsHalf) {
  one_line k;
  for (u32 i = 0; i < 4; ++i) k.add(ld(4), [&](u32) { return 64 + 4 * i; });
  const auto found = k.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].wavefronts_before, 400u);
  EXPECT_EQ(found[0].wavefronts_after, 200u);
}

TEST(OtherInstructions, WhatIsNotAlignedIsHalfAsWide) {
  one_line k;
  for (u32 i = 0; i < 4; ++i) k.add(ld(4), [&](u32) { return 8 + 4 * i; });
  const auto found = k.found();  // Bytes 8, 16 and 24 are aligned to 8. Bytes 16 to 31 could be one access of 16 bytes.
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].after.spelling, "ld.b64");
  EXPECT_EQ(found[0].instructions_after, 2u);
}

TEST(OtherInstructions, NothingIsFoundWhere) {
  const auto two = [](auto change) {
    one_line k;
    for (u32 i = 0; i < 2; ++i) change(k.add(ld(4), [&](u32) { return 4 * i; }), i);
    return k.found().size();
  };
  EXPECT_EQ(two([](site&, u32) {}), 1u);
  EXPECT_EQ(two([](site& s, u32 i) { s.line += i; }), 0u) << "the loads belong to different lines";
  EXPECT_EQ(two([](site& s, u32 i) { s.executed = s.accesses[0].count += i; }), 0u)
      << "the loads are not executed equally often";
  EXPECT_EQ(two([](site& s, u32 i) { s.accesses[0].what.mask >>= i; }), 0u) << "the loads have different active lanes";
  EXPECT_EQ(two([](site& s, u32 i) { s.accesses[0].what.address[3] += 4 * i; }), 0u)
      << "the addresses of the loads have different shapes";
  EXPECT_EQ(two([](site& s, u32) { s.executed = 200; }), 0u) << "the accesses are only a sample of the executions";
  EXPECT_EQ(two([](site& s, u32) {
              s.depends.known = true;
              s.depends.address.bits |= static_cast<std::uint8_t>(sass::input::data);
            }),
            0u)
      << "with a different input, the addresses may be unaligned";
  one_line sampled;
  for (u32 i = 0; i < 2; ++i) sampled.add(ld(4), [&](u32) { return 4 * i; });
  sampled.l.accesses_seen = 1;
  EXPECT_EQ(sampled.found().size(), 0u);
}

TEST(OtherInstructions, StoresTooButNotAtomics) {
  one_line k;
  for (u32 i = 0; i < 4; ++i) k.add(st(4), [&](u32 lane) { return 16 * lane + 4 * i; });
  ASSERT_EQ(k.found().size(), 1u);
  EXPECT_EQ(k.found()[0].wavefronts_before, 1600u);  // lanes access words 0, 4, 8, ...: four lanes use each bank
  EXPECT_EQ(k.found()[0].wavefronts_after, 400u);
  one_line atomics;
  for (u32 i = 0; i < 4; ++i) atomics.add(atom(4), [&](u32 lane) { return 16 * lane + 4 * i; });
  EXPECT_EQ(atomics.found().size(), 0u);
}

// The four registers of an operand of mma hold rows g and g + 8, at words c and c + 4 of each row.
TEST(OtherInstructions, FragmentsAreLdmatrix) {
  one_line k(1000);
  constexpr u32 pitch = 48;
  for (u32 i = 0; i < 4; ++i)
    k.add(ld(4), [&](u32 lane) { return (lane / 4 + i % 2 * 8) * pitch + (lane % 4 + i / 2 * 4) * 4; });
  const auto found = k.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].after.spelling, "ldmatrix.x4");
  EXPECT_EQ(found[0].instructions_before, 4u);
  EXPECT_EQ(found[0].instructions_after, 1u);
  EXPECT_EQ(found[0].wavefronts_before, found[0].wavefronts_after);  // every lane reads the same rows of 16 bytes
  one_line large(100'000);  // ldmatrix saves no wavefronts here, and 300 instructions fewer do not matter
  for (u32 i = 0; i < 4; ++i)
    large.add(ld(4), [&](u32 lane) { return (lane / 4 + i % 2 * 8) * pitch + (lane % 4 + i / 2 * 4) * 4; });
  EXPECT_EQ(large.found().size(), 0u);
}

// Stores the results of mma, two halves in each word.
TEST(OtherInstructions, FragmentsAreStoredByStmatrixFromSm90On) {
  one_line k;
  constexpr u32 pitch = 48;
  for (u32 i = 0; i < 2; ++i) k.add(st(4), [&](u32 lane) { return (lane / 4 + i * 8) * pitch + lane % 4 * 4; });
  const auto found = k.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].after.spelling, "stmatrix.x2");
  EXPECT_EQ(found[0].instructions_after, 1u);
  access rows{stmatrix(2), full_mask, {}};
  for (u32 lane = 0; lane < 16; ++lane) rows.address[lane] = lane * pitch;
  EXPECT_EQ(found[0].wavefronts_after, 100 * analyze(rows, hopper.model).wavefronts);
  EXPECT_EQ(find_other_instructions(k.l, *parse_machine("sm_80")).size(), 0u) << "GPUs before sm_90 have no stmatrix";
}

}  // namespace
}  // namespace bankwise::advise
