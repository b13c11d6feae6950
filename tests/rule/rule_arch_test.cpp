// Tests every machine of the table with the examples of its documentation, mostly at compile time: if this file
// compiles, most of the test has passed. The formulas come from this documentation. `t` is the lane.
#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

// One fact on each line, like a table.
// clang-format off

struct strided {
  u32 words;
  constexpr u32 operator()(u32 t) const { return t * words * 4; }
};
constexpr u32 gcd(u32 a, u32 b) { return b == 0 ? a : gcd(b, a % b); }

// --- 32 banks, Maxwell and later: stride s is a conflict of degree gcd(s, 32) ---
constexpr bool every_stride_is_gcd() {
  for (u32 s = 1; s <= 64; ++s)
    if (wavefronts(make_access(ld(4), strided{s})) != gcd(s, 32)) return false;
  return wavefronts(make_access(ld(4), strided{0})) == 1;
}
static_assert(every_stride_is_gcd());
static_assert(wavefronts(make_access(ld(1), [](u32 t) { return t; })) == 1);
static_assert(wavefronts(make_access(st(1), [](u32 t) { return t; })) == 1);
static_assert(wavefronts(make_access(ld(2), [](u32 t) { return t * 66; })) == 1);  // a column of half[32][33]
static_assert(wavefronts(make_access(ld(2), [](u32 t) { return t * 34; })) == 2);  // a column of half[32][17]

// --- 64-bit loads: the five cases of the micro-benchmark (index in units of 8 bytes) ---
constexpr u32 below_16 = 0xffff;
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }, below_16)) == 1);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return (t == 16 ? 15 : t) * 8; }, 0x17fff)) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t / 2 * 8; })) == 1);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return (t < 16 ? t / 2 : t / 4 * 4 + t % 4 % 2) * 8; })) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t % 16 * 8; })) == 2);
static_assert(merge_of(make_access(ld(8), [](u32 t) { return t / 2 * 8; })) == merge::partner_1);
static_assert(merge_of(make_access(ld(8), [](u32 t) { return (t / 4 * 2 + t % 2) * 8; })) == merge::partner_2);

// --- 128-bit loads: the six cases of the micro-benchmark ---
static_assert(wavefronts(make_access(ld(16), [](u32) { return 64u; }, 0x18000)) == 2);
static_assert(wavefronts(make_access(ld(16), [](u32) { return 64u; }, 0x8001)) == 1);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return (t / 8 * 2 + t % 8 / 2 % 2) * 16; })) == 2);
static_assert(wavefronts(make_access(ld(16), [](u32 t) {
                return (t < 16 ? t / 8 * 2 + t % 8 / 2 % 2 : t / 8 * 2 + t % 8 % 2) * 16;
              })) == 4);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return (t / 16 * 4 + t % 16 / 8 + t % 8 / 4 * 8) * 16; })) == 4);
static_assert(wavefronts(make_access(ld(16), [](u32 t) {
                return (t / 16 * 4 + t % 16 / 8 * 8 + (t < 16 ? t % 4 / 2 : t % 4 % 2) * 2) * 16;
              })) == 4);
// If all lanes access one address, two wavefronts are needed, because phases only merge in pairs.
static_assert(wavefronts(make_access(ld(16), [](u32) { return 0u; })) == 2);
// Stores never merge.
static_assert(wavefronts(make_access(st(8), [](u32 t) { return t / 2 * 8; })) == 2);
static_assert(wavefronts(make_access(st(16), [](u32) { return 0u; })) == 4);

// --- ldmatrix.x4 on rows that are 128 bytes apart, without and with a swizzle ---
static_assert(wavefronts(make_access(ldmatrix(4), [](u32 t) { return t % 16 * 128 + t / 16 * 16; })) == 32);
static_assert(wavefronts(make_access(ldmatrix(4), [](u32 t) { return t % 16 * 128 + ((t / 16) ^ (t % 8)) * 16; })) == 4);
static_assert(analyze(make_access(ldmatrix(1), [](u32 t) { return t * 16; })).passes == 1);

// --- atomics on one word take turns, except the counting increment ---
static_assert(wavefronts(make_access(atom(4), [](u32) { return 0u; })) == 32);
static_assert(explain(make_access(atom(4), [](u32) { return 0u; })).same_word == 32);
static_assert(wavefronts(make_access(popc_inc(), [](u32) { return 0u; })) == 1);
static_assert(wavefronts(make_access(cas(4), [](u32 t) { return t * 4; })) == 2);
static_assert(analyze(make_access(atom(4), [](u32 t) { return t * 4; })).cycles == 2);
static_assert(analyze(make_access(red(4), [](u32 t) { return t * 4; })).cycles == 1);
static_assert(wavefronts(make_access(cp_async(4), [](u32 t) { return t / 2 * 4; })) == 2);

// --- an access takes at least as many cycles as register-file passes ---
static_assert(analyze(make_access(ld(16), [](u32 t) { return t * 16; }, 1)).cycles == 2);  // one active lane: 2 passes
static_assert(analyze(make_access(ld(16), [](u32 t) { return t * 16; }, 7)).cycles == 4);
static_assert(analyze(make_access(ld(16), [](u32 t) { return t * 16; }, 7)).wavefronts == 1);
static_assert(analyze(make_access(st(16), [](u32 t) { return t * 16; }, 1)).cycles == 4);

// --- without active lanes there is no cost ---
static_assert(analyze(make_access(ld(4), strided{32}, 0)).cycles == 0);
static_assert(explain(make_access(ld(4), strided{32}, 0)).phases == 0);

// --- Turing: the same wavefronts at half the rate ---
static_assert(analyze(make_access(ld(4), strided{1}), find_arch("sm_75")->model).cycles == 2);

// --- Tesla (Guide 4.2, F.3.3): 16 banks, half-warps, one broadcast word in each step ---
constexpr bank_model tesla = tesla_model();
static_assert(wavefronts(make_access(ld(4), strided{1}), tesla) == 2);   // no conflict: a step for each half-warp
static_assert(wavefronts(make_access(ld(4), strided{2}), tesla) == 4);   // 2-way
static_assert(wavefronts(make_access(ld(4), strided{3}), tesla) == 2);   // odd strides have no conflict
static_assert(wavefronts(make_access(ld(4), strided{16}), tesla) == 32);
static_assert(wavefronts(make_access(ld(1), [](u32 t) { return t; }), tesla) == 8);      // char: four lanes, one word
// the remedy in the guide
static_assert(wavefronts(make_access(ld(1), [](u32 t) { return t * 4; }), tesla) == 2);
static_assert(wavefronts(make_access(ld(4), [](u32) { return 0u; }), tesla) == 2);       // one word, which is broadcast
// two words in two banks
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t % 2 * 4; }, 0xf), tesla) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), tesla) == 8);   // double: two 2-way conflicts
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t * 12; }), tesla) == 2);  // a field of a 12-byte struct
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t * 8; }), tesla) == 4);   // a field of an 8-byte struct

// --- Fermi (Guide 4.2, F.4.3) ---
constexpr bank_model fermi = fermi_model();
static_assert(wavefronts(make_access(ld(4), strided{1}), fermi) == 1);
static_assert(wavefronts(make_access(ld(4), strided{2}), fermi) == 2);
static_assert(wavefronts(make_access(ld(4), strided{3}), fermi) == 1);
static_assert(wavefronts(make_access(ld(1), [](u32 t) { return t; }), fermi) == 1);  // bytes of one word never conflict
// two broadcasts
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return (t % 2 != 0 ? 5u : 9u) * 4; }), fermi) == 1);
// double: the halves do not conflict
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), fermi) == 2);
// the guide says that there is no conflict, but this model has a 2-way conflict
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }), fermi) == 2);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 32; }), fermi) == 3);  // 1 + 2
static_assert(analyze(make_access(ld(4), strided{1}), fermi).cycles == 2);                 // 128 bytes in two clocks

// --- Kepler: two ways to map addresses to 32 banks of 8 bytes ---
constexpr bank_model kepler4 = kepler_model(4), kepler8 = kepler_model(8);
static_assert(wavefronts(make_access(ld(4), strided{1}), kepler4) == 1);
static_assert(wavefronts(make_access(ld(4), strided{2}), kepler4) == 1);  // words i and i + 32 of one 256-byte row
static_assert(wavefronts(make_access(ld(4), strided{2}), kepler8) == 1);
static_assert(wavefronts(make_access(ld(4), strided{32}), kepler4) == 16);
static_assert(wavefronts(make_access(ld(4), strided{32}), kepler8) == 16);
static_assert(wavefronts(make_access(ld(4), strided{33}), kepler4) == 1);
static_assert(wavefronts(make_access(ld(4), strided{64}), kepler4) == 32);
static_assert(wavefronts(make_access(ld(4), strided{4}), kepler4) == 2);
// i, i + 32
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t / 2 * 256 + t % 2 * 128; }, 3), kepler4) == 1);
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t / 2 * 256 + t % 2 * 128; }, 3), kepler8) == 1);
// i, i + 64: different rows
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t * 256; }, 3), kepler4) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), kepler8) == 1);    // 256 bytes a clock
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), kepler4) == 1);
// nvprof counts 2 for float4
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }), kepler8) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 256; }), kepler8) == 32);

// --- CDNA 3: loads of 16 bytes in the groups of CK Tile's documentation, stores in groups of eight neighbours ---
constexpr bank_model cdna3 = cdna3_model();
constexpr u32 in_group(u32 t) { return t % 4 + t / 16 * 4; }  // lanes 0 to 3 and 20 to 23 become 0 to 7
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }), cdna3) == 4);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x00f0000f), cdna3) == 1);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x000000ff), cdna3) == 2);   // two groups
static_assert(wavefronts(make_access(st(16), [](u32 t) { return t * 16; }, 0x000000ff), cdna3) == 1);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return in_group(t) * 16 + t * 128; }), cdna3) == 4);
static_assert(wavefronts(make_access(st(16), [](u32 t) { return in_group(t) * 16 + t * 128; }), cdna3) == 8);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), cdna3) == 2);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t / 2 * 8; }), cdna3) == 2);             // never merged
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t * 128; }), cdna3) == 32);
// --- RDNA 3 has the groups of CDNA 3, RDNA 4 has groups of neighbours, CDNA 4 has 64 banks and groups of 16 lanes
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }), rdna3_model()) == 4);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x000000ff), rdna3_model()) == 2);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x000000ff), rdna4_model()) == 1);
constexpr bank_model cdna4 = cdna4_model();
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }), cdna4) == 2);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x0ff0f00f), cdna4) == 1);
static_assert(wavefronts(make_access(ld(16), [](u32 t) { return t * 16; }, 0x0000ffff), cdna4) == 2);
static_assert(wavefronts(make_access(st(16), [](u32 t) { return t * 16; }, 0x0000ffff), cdna4) == 1);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 8; }), cdna4) == 1);
static_assert(wavefronts(make_access(ld(8), [](u32 t) { return t * 256; }), cdna4) == 32);
static_assert(wavefronts(make_access(ld(4), [](u32 t) { return t * 8; }), cdna4) == 1);

// --- ten banks and a 10 x 10 matrix: ten lanes access a column; one word of padding removes the conflict ---
constexpr bank_model ten = flat_model(10, 4);
static_assert(wavefronts(make_access(st(4), [](u32 t) { return (t * 10 + 4) * 4; }, 0x3ff), ten) == 10);
static_assert(wavefronts(make_access(st(4), [](u32 t) { return (t * 11 + 4) * 4; }, 0x3ff), ten) == 1);
static_assert(wavefronts(make_access(st(4), [](u32 t) { return (4 * 10 + t) * 4; }, 0x3ff), ten) == 1);

// clang-format on

// One constant expression contains 256 analyses. This is within every compiler's default limits.
constexpr u32 sum_of_256() {
  u32 sum = 0;
  for (u32 i = 0; i < 256; ++i) {
    const operation op = i % 4 == 0 ? ld(16) : i % 4 == 1 ? ld(8) : i % 4 == 2 ? st(16) : ld(4);
    const u32 pitch = op.width_bytes * (i / 4 + 1);
    sum += wavefronts(make_access(op, [=](u32 t) { return t * pitch; }));
  }
  return sum;
}
static_assert(sum_of_256() > 256);

TEST(Arch, TableIsCompleteAndNamesAreUnique) {
  for (u32 i = 0; i < arch_count; ++i) {
    EXPECT_EQ(find_arch(archs[i].name), &archs[i]);
    EXPECT_GE(archs[i].shared_kib_per_sm, archs[i].shared_kib_per_block);
    for (u32 g = 0; g < rule_groups; ++g) EXPECT_STRNE(archs[i].rules->by_group[g].source, "");
    for (const rule_source& s : archs[i].async_rules->by_group) EXPECT_STRNE(s.source, "");
  }
  EXPECT_EQ(find_arch("sm_90a"), find_arch("sm_90"));
  EXPECT_EQ(find_arch("sm_9"), nullptr);
  EXPECT_EQ(find_arch("sm_900"), nullptr);
  EXPECT_EQ(find_arch(""), nullptr);
  for (const char* name : {"sm_10", "sm_20", "sm_30", "sm_30.8", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86",
                           "sm_89", "sm_90", "sm_100", "sm_120"})
    EXPECT_NE(find_arch(name), nullptr) << name;
}

TEST(Arch, OnlyHopperIsMeasured) {
  for (const arch& a : archs)
    for (const rule_source& s : a.rules->by_group)
      EXPECT_EQ(s.level == evidence::measured, std::string_view(a.name) == "sm_90") << a.name;
  for (const arch& a : archs)
    for (const rule_source& s : a.async_rules->by_group)
      EXPECT_EQ(s.level == evidence::measured, std::string_view(a.name) == "sm_90") << a.name;
}

TEST(Arch, EveryOperationHasItsGroup) {
  const std::pair<operation, rule_group> groups[] = {{ld(4), rule_group::narrow_load},
                                                     {ld(8), rule_group::wide_load},
                                                     {st(1), rule_group::narrow_store},
                                                     {st(16), rule_group::wide_store},
                                                     {ldmatrix(1), rule_group::ldmatrix},
                                                     {stmatrix(4), rule_group::stmatrix},
                                                     {atom(4), rule_group::atomic},
                                                     {red(8), rule_group::atomic},
                                                     {cas(4), rule_group::atomic},
                                                     {cas_spin(8), rule_group::atomic},
                                                     {popc_inc(), rule_group::atomic},
                                                     {cp_async(16), rule_group::copy_async},
                                                     {cp_async_cg(), rule_group::copy_async_cg}};
  for (const auto& [op, group] : groups) EXPECT_EQ(group_of(op), group) << static_cast<int>(op.kind);
}

TEST(Arch, EvidenceHasNames) {
  EXPECT_STREQ(name_of(evidence::measured), "measured");
  EXPECT_STREQ(name_of(evidence::published), "published");
  EXPECT_STREQ(name_of(evidence::documented), "documented");
  EXPECT_STREQ(name_of(evidence::assumed), "assumed");
  EXPECT_STREQ(name_of(evidence::none), "none");
}

}  // namespace
}  // namespace bankwise
