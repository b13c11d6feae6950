// Tests formulas of other projects. For each error of a formula, one access shows the error.
#include "support/peer_formulas.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bankwise/wavefronts.hpp"

namespace bankwise::test {
namespace {

struct example {
  const char* what;
  operation op;
  u32 (*address)(u32 t);
  // The wavefronts by each of peer_formulas(), in order: the rule, phases, merged phases, first phase, words of the
  // warp, first words, lanes in a bank, bytes as banks.
  std::array<u32, 8> wavefronts;
};

u32 uneven_halves(u32 t) { return t < 16 ? 0 : (t - 16) / 2 * 128 + t % 2 * 8; }

const example examples[] = {
    {"bytes, one after another", ld(1), [](u32 t) { return t; }, {1, 1, 1, 1, 1, 1, 4, 1}},
    {"halves, one after another", ld(2), [](u32 t) { return 2 * t; }, {1, 1, 1, 1, 1, 1, 2, 2}},
    {"one word for all", ld(4), [](u32) { return 0u; }, {1, 1, 1, 1, 1, 1, 32, 1}},
    {"words, one after another", ld(4), [](u32 t) { return 4 * t; }, {1, 1, 1, 1, 1, 1, 1, 4}},
    {"a column of rows of 32", ld(4), [](u32 t) { return 128 * t; }, {32, 32, 32, 32, 32, 32, 32, 32}},
    {"64 bits, one after another", ld(8), [](u32 t) { return 8 * t; }, {2, 2, 2, 2, 2, 2, 2, 8}},
    {"a load that pairs of lanes share", ld(8), [](u32 t) { return 8 * (t / 2); }, {1, 2, 1, 2, 1, 1, 2, 4}},
    {"a store by pairs of lanes", st(8), [](u32 t) { return 8 * (t / 2); }, {2, 2, 1, 2, 1, 1, 2, 4}},
    {"the second half has conflicts", ld(8), uneven_halves, {9, 9, 9, 2, 8, 8, 24, 8}},
    {"128 bits, one after another", ld(16), [](u32 t) { return 16 * t; }, {4, 4, 4, 4, 4, 4, 4, 16}},
    {"128 bits for all", ld(16), [](u32) { return 0u; }, {2, 4, 2, 4, 1, 1, 32, 1}},
    {"a store of 128 bits to one place", st(16), [](u32) { return 0u; }, {4, 4, 2, 4, 1, 1, 32, 1}},
    {"four matrices, all rows the same", ldmatrix(4), [](u32) { return 0u; }, {4, 4, 2, 4, 1, 1, 32, 1}},
    {"all lanes add to one word", atom(4), [](u32) { return 0u; }, {32, 1, 1, 1, 1, 1, 32, 32}},
    {"compare and swap in different banks", cas(4), [](u32 t) { return 4 * t; }, {2, 1, 1, 1, 1, 1, 1, 4}},
    {"cp.async of one word", cp_async(4), [](u32) { return 0u; }, {32, 1, 1, 1, 1, 1, 32, 1}},
};

TEST(PeerFormulas, EachIsWrongInItsOwnWay) {
  const auto formulas = peer_formulas();
  ASSERT_EQ(formulas.size(), std::size(examples[0].wavefronts));
  for (const example& e : examples)
    for (std::size_t i = 0; i < formulas.size(); ++i)
      EXPECT_EQ(formulas[i].wavefronts(make_access(e.op, e.address)), e.wavefronts[i])
          << e.what << ": " << formulas[i].name;
}

TEST(PeerFormulas, OnlyTheFirstPhaseIgnoresTheMask) {
  const auto column = [](u32 t) { return 128 * t; };
  for (const peer_formula& f : peer_formulas())
    EXPECT_EQ(f.wavefronts(make_access(ld(4), column, 0x3)), f.wavefronts == by_first_phase ? 32u : 2u) << f.name;
}

TEST(PeerFormulas, NoLanesTakeNoWavefront) {
  const access none = make_access(
      st(16), [](u32 t) { return 16 * t; }, 0);
  for (const peer_formula& f : peer_formulas())
    EXPECT_EQ(f.wavefronts(none), f.wavefronts == by_first_phase ? 4u : 0u) << f.name;
}

}  // namespace
}  // namespace bankwise::test
