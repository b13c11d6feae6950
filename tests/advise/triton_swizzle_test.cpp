// Compares the layout search with Triton's swizzling. Triton's layouts cost what Triton's formula predicts, except for
// known differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bankwise/wavefronts.hpp"
#include "support/triton_swizzle.hpp"

namespace bankwise::test {
namespace {

constexpr u32 problems = 500;

u32 elements_of_tensor(const transfer& t) { return 1u << (t.row_bits + t.column_bits); }

u32 sum_of(const basis& b, u32 coefficients) {
  u32 v = 0;
  for (u32 i = 0; i < b.size(); ++i) v ^= (coefficients >> i & 1u) != 0 ? b[i] : 0;
  return v;
}

// Returns the wavefronts of `a` without merged phases. Counts a store to the addresses of `a`, because stores never
// merge phases.
u32 unmerged(access a) {
  a.op = st(a.op.width_bytes);
  return wavefronts(a);
}

// Converts pairs {row, column} to the indices of elements, in the order of Triton's tests.
basis at(u32 column_bits, std::initializer_list<std::pair<u32, u32>> places) {
  basis b;
  for (const auto& [row, column] : places) b.push_back(row << column_bits | column);
  return b;
}

// Expects one wavefront for each phase, both by the rule and by Triton's formula.
void expect_no_conflicts(const transfer& t) {
  const shared_layout s = triton_swizzle(t);
  for (const auto& [side, predicted] : {std::pair{store_traffic(t, s), predicted_store_wavefronts(t, s)},
                                        std::pair{load_traffic(t, s), predicted_load_wavefronts(t, s)}}) {
    const u32 phases = std::max(1u, (t.element_bytes << side.vector_bits) / 4);
    ASSERT_EQ(predicted, phases) << to_text(t);
    for (const access& a : side.accesses) ASSERT_EQ(unmerged(a), phases) << to_text(t);
  }
}

// --- cases without conflicts, from Triton's unit tests (unittest/Dialect/TritonGPU/SwizzleTest.cpp) ---

TEST(TritonSwizzle, Transpose128x128Float8) {
  const distributed_layout rows{at(7, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}}),
                                at(7, {{0, 16}, {0, 32}, {0, 64}, {4, 0}, {8, 0}}), at(7, {{16, 0}, {32, 0}, {64, 0}})};
  const distributed_layout columns{at(7, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}}),
                                   at(7, {{16, 0}, {32, 0}, {64, 0}, {0, 4}, {0, 8}}),
                                   at(7, {{0, 16}, {0, 32}, {0, 64}})};
  expect_no_conflicts({7, 7, 1, rows, columns});
}

TEST(TritonSwizzle, BlockedToMma16x16Bf16) {
  const distributed_layout blocked{
      at(4, {{0, 1}, {0, 2}, {0, 4}}), at(4, {{0, 8}, {1, 0}, {2, 0}, {4, 0}, {8, 0}}), {}};
  const distributed_layout mma{at(4, {{0, 1}, {8, 0}, {0, 8}}), at(4, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}), {}};
  expect_no_conflicts({4, 4, 2, blocked, mma});
}

TEST(TritonSwizzle, Transpose32x16Float) {
  const distributed_layout rows{at(4, {{4, 0}, {8, 0}, {16, 0}}), at(4, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}}),
                                at(4, {{2, 0}})};
  const distributed_layout columns{at(4, {{0, 2}, {0, 4}, {0, 8}}), at(4, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}),
                                   at(4, {{0, 1}})};
  expect_no_conflicts({5, 4, 4, rows, columns});
}

TEST(TritonSwizzle, Transpose128x128Half) {
  const distributed_layout columns{at(7, {{1, 0}, {2, 0}, {4, 0}, {0, 32}, {0, 64}}),
                                   at(7, {{8, 0}, {16, 0}, {32, 0}, {64, 0}, {0, 1}}),
                                   at(7, {{0, 2}, {0, 4}, {0, 8}, {0, 16}})};
  const distributed_layout rows{at(7, {{0, 1}, {0, 2}, {0, 4}, {32, 0}, {64, 0}}),
                                at(7, {{0, 8}, {0, 16}, {0, 32}, {0, 64}, {1, 0}}),
                                at(7, {{2, 0}, {4, 0}, {8, 0}, {16, 0}})};
  expect_no_conflicts({7, 7, 2, columns, rows});
}

// The example in triton_swizzle.hpp: if a tile is stored row by row, a load takes 16 wavefronts. If the columns are
// xored with the row, the load takes 2 wavefronts.
TEST(TritonSwizzle, ReadingPairsOfColumns) {
  const transfer t{4, 5, 4, {{32, 64, 128, 256}, {1, 2, 4, 8, 16}, {}}, {{2, 4, 8, 16}, {32, 64, 128, 256, 1}, {}}};
  const shared_layout s = triton_swizzle(t);
  EXPECT_EQ(s.vector, basis{});
  EXPECT_EQ(s.segment, (basis{2 ^ 32, 4 ^ 64, 8 ^ 128, 16 ^ 256}));
  expect_no_conflicts(t);
  const element_view e = elements_of(t, s);
  EXPECT_FALSE(e.permuted);
  for (const access& a : e.load) EXPECT_EQ(wavefronts(a), 16u);
  for (access a : e.load) {
    for (u32& address : a.address) address ^= address / 128 * 4;
    EXPECT_EQ(wavefronts(a), 2u);
  }
}

// --- random layouts ---

TEST(TritonSwizzle, LayoutsAreBijective) {
  for (u32 seed = 0; seed < problems; ++seed) {
    const transfer t = random_transfer(seed);
    const shared_layout s = triton_swizzle(t);
    std::set<u32> offsets;
    for (u32 element = 0; element < elements_of_tensor(t); ++element) offsets.insert(s.byte_of(element));
    ASSERT_EQ(offsets.size(), elements_of_tensor(t)) << seed << ": " << to_text(t);
    ASSERT_EQ(*offsets.rbegin(), (elements_of_tensor(t) - 1) * t.element_bytes) << seed << ": " << to_text(t);
  }
}

TEST(TritonSwizzle, EverythingIsStoredAndLoaded) {
  for (u32 seed = 0; seed < problems; ++seed) {
    const transfer t = random_transfer(seed);
    const shared_layout s = triton_swizzle(t);
    for (const traffic& side : {store_traffic(t, s), load_traffic(t, s)}) {
      std::set<u32> bytes;
      for (const access& a : side.accesses) {
        ASSERT_TRUE(valid(a.op));
        ASSERT_EQ(first_misaligned_lane(a), lanes_per_warp) << seed << ": " << to_text(t);
        for (const u32 address : a.address)
          for (u32 i = 0; i < a.op.width_bytes; ++i) bytes.insert(address + i);
      }
      ASSERT_EQ(bytes.size(), elements_of_tensor(t) * t.element_bytes) << seed << ": " << to_text(t);
    }
  }
}

// For stores, Triton's formula gives the number of the rule. For loads, Triton's formula does not merge phases, so its
// number can be higher than the number of the rule. If the vectors of a load do not fill a word, its number can also be
// too low. counted_load_wavefronts() is not too low for such loads: it gives the number of the rule without merging.
TEST(TritonSwizzle, TheFormulaIsTheRuleWithoutMerging) {
  u32 merged = 0, too_low = 0;
  for (u32 seed = 0; seed < problems; ++seed) {
    const transfer t = random_transfer(seed);
    const shared_layout s = triton_swizzle(t);
    for (const access& a : store_traffic(t, s).accesses) {
      ASSERT_EQ(wavefronts(a), predicted_store_wavefronts(t, s)) << seed << ": " << to_text(t);
      ASSERT_EQ(wavefronts(a), counted_store_wavefronts(t, s)) << seed << ": " << to_text(t);
    }
    bool merges = false, is_low = false;
    for (const access& a : load_traffic(t, s).accesses) {
      ASSERT_EQ(unmerged(a), counted_load_wavefronts(t, s)) << seed << ": " << to_text(t);
      merges |= wavefronts(a) < unmerged(a);
      is_low |= wavefronts(a) > predicted_load_wavefronts(t, s);
    }
    if (is_low) {
      ASSERT_LT(t.element_bytes << s.vector.size(), 4u) << seed << ": " << to_text(t);
    }
    merged += merges;
    too_low += is_low;
  }
  EXPECT_GT(merged, 0u);
  EXPECT_GT(too_low, 0u);
  EXPECT_LT(too_low, problems / 50);
}

// The search can find Triton's layout, because this layout is a linear map that does not change the vector's bits.
TEST(TritonSwizzle, ElementsAreThoseOfTheTraffic) {
  u32 permuted = 0;
  for (u32 seed = 0; seed < problems; ++seed) {
    const transfer t = random_transfer(seed);
    const shared_layout s = triton_swizzle(t);
    const element_view e = elements_of(t, s);
    permuted += e.permuted;
    ASSERT_EQ(1u << (e.row_bits + e.column_bits), elements_of_tensor(t));
    const auto compare = [&](const std::vector<access>& tile, const std::vector<access>& shared) {
      ASSERT_EQ(tile.size(), shared.size());
      for (std::size_t i = 0; i < tile.size(); ++i) {
        ASSERT_EQ(tile[i].op, shared[i].op);
        for (u32 lane = 0; lane < lanes_per_warp; ++lane)
          for (u32 n = 0; n < tile[i].op.width_bytes; n += t.element_bytes) {
            const u32 element = sum_of(e.index_bit, (tile[i].address[lane] + n) / t.element_bytes);
            ASSERT_EQ(s.byte_of(element), shared[i].address[lane] + n) << seed << ": " << to_text(t);
          }
      }
    };
    compare(e.store, store_traffic(t, s).accesses);
    compare(e.load, load_traffic(t, s).accesses);
  }
  EXPECT_GT(permuted, problems / 10);
  EXPECT_LT(permuted, problems * 9 / 10);
}

// The random problems cover all kinds: each width on each side, lanes with equal data, and several warps.
TEST(TritonSwizzle, RandomProblemsAreOfEveryKind) {
  std::set<u32> stored, loaded, element_bytes;
  u32 same_lanes = 0, one_warp = 0;
  for (u32 seed = 0; seed < problems; ++seed) {
    const transfer t = random_transfer(seed);
    const shared_layout s = triton_swizzle(t);
    stored.insert(t.element_bytes << store_traffic(t, s).vector_bits);
    loaded.insert(t.element_bytes << load_traffic(t, s).vector_bits);
    element_bytes.insert(t.element_bytes);
    for (const distributed_layout* d : {&t.store, &t.load})
      same_lanes += std::count(d->lanes.begin(), d->lanes.end(), 0u) != 0 ? 1 : 0;
    one_warp += t.store.warps.empty() ? 1 : 0;
    for (const distributed_layout* d : {&t.store, &t.load}) {
      u32 seen = 0;
      for (const basis* b : {&d->registers, &d->lanes, &d->warps})
        for (const u32 v : *b) {
          ASSERT_EQ(seen & v, 0u) << to_text(t);
          seen |= v;
        }
      ASSERT_EQ(seen, elements_of_tensor(t) - 1) << to_text(t);
    }
  }
  EXPECT_EQ(stored, (std::set<u32>{1, 2, 4, 8, 16}));
  EXPECT_EQ(loaded, (std::set<u32>{1, 2, 4, 8, 16}));
  EXPECT_EQ(element_bytes, (std::set<u32>{1, 2, 4, 8}));
  EXPECT_GT(same_lanes, problems / 20);
  EXPECT_GT(one_warp, problems / 10);
  EXPECT_EQ(to_text(random_transfer(7)), to_text(random_transfer(7)));
}

}  // namespace
}  // namespace bankwise::test
