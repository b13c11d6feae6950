// Tests the remedies for accesses whose array elements depend on the data.
#include "advise/data_remedies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace bankwise::advise {
namespace {

// Describes an array `unsigned bins[256]` in which 32 lanes count. `element` returns the element that lane n accesses
// in access i.
template <class Element>
problem counters(operation op, u32 accesses, const Element& element) {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = 256 * 4;
  p.element_bytes = 4;
  p.groups = {{"count", {}, true}};
  for (u32 i = 0; i < accesses; ++i)
    p.of_data.push_back({make_access(op, [&](u32 lane) { return element(i, lane) * 4; }), 1, 0});
  return p;
}
u32 scattered(u32 i, u32 lane) {
  u32 x = (i * 32 + lane + 1) * 0x9e3779b1u;
  x = (x ^ x >> 15) * 0x85ebca77u;
  return (x ^ x >> 13) * 0xc2b2ae3du >> 24;
}
operation popc_inc() { return parse_operation("popc.inc.b32")->op; }
operation red_add() { return parse_operation("red.add.b32")->op; }

std::optional<data_remedy> find(const data_remedies& d, data_remedy_kind kind, u32 copies = 1) {
  for (const data_remedy& r : d.list)
    if (r.kind == kind && r.copies == copies) return r;
  return {};
}
std::uint64_t counted(const problem& p, const std::vector<weighted_access>& all) {
  std::uint64_t sum = 0;
  for (const weighted_access& w : all) sum += w.weight * analyze(w.what, p.on.model).wavefronts;
  return sum;
}

TEST(DataRemedies, NothingDependsOnDataNothingIsFound) { EXPECT_TRUE(find_data_remedies(problem{}).list.empty()); }

TEST(DataRemedies, ACopyForEachLaneLeavesNoConflict) {
  const problem p = counters(popc_inc(), 200, scattered);
  const data_remedies d = find_data_remedies(p);
  EXPECT_EQ(d.inputs, (std::vector<std::string>{"this input", "uniform", "skewed"}));
  EXPECT_EQ(d.list.at(0).wavefronts.at(0), counted(p, p.of_data));
  EXPECT_GT(d.list.at(0).wavefronts.at(0), 500u);
  const auto lanes = find(d, data_remedy_kind::copies, 32);
  ASSERT_TRUE(lanes);
  EXPECT_EQ(lanes->wavefronts, (std::vector<std::uint64_t>{200, 200, 200}));
  EXPECT_EQ(lanes->bytes, 32u * 1024);
}

// In this input, the lanes access eight words of one bank. Other inputs cause few conflicts, but every copy of the
// array must still be filled and added.
TEST(DataRemedies, WhatCostsMoreOnMostInputsIsNoRemedy) {
  problem p = counters(popc_inc(), 20, [](u32 i, u32 lane) { return (lane * 32 + i) % 256; });
  EXPECT_TRUE(find(find_data_remedies(p), data_remedy_kind::copies, 4));
  p.groups.push_back({"fill", {}, false});
  p.accesses.push_back({make_access(st(4), [](u32 lane) { return lane * 4; }), 16, 1});
  const data_remedies d = find_data_remedies(p);
  for (const data_remedy& r : d.list) {
    std::size_t worse = 0;
    for (std::size_t i = 0; i < r.wavefronts.size(); ++i) worse += r.wavefronts[i] > d.list[0].wavefronts[i] ? 1 : 0;
    EXPECT_LE(worse, 1u) << name_of(r.kind) << " " << r.copies;
  }
  EXPECT_FALSE(find(d, data_remedy_kind::copies, 4)) << "copies cost less only on this input";
}

// This run, two more real runs and two made-up inputs decide which remedies are suggested.
TEST(DataRemedies, RunsOfOthersDecideAmongThemselves) {
  problem p = counters(popc_inc(), 400, scattered);
  p.groups.push_back({"fill", {}, false});
  p.accesses.push_back({make_access(st(4), [](u32 lane) { return lane * 4; }), 16, 1});
  ASSERT_TRUE(find(find_data_remedies(p), data_remedy_kind::copies, 32));
  const problem apart = counters(popc_inc(), 20, [](u32 i, u32 lane) { return (lane + i) % 256; });
  const std::vector<data_input> tried = {{"2", apart.of_data, 16}, {"3", apart.of_data, 16}};
  EXPECT_TRUE(find(find_data_remedies(p, {tried[0]}), data_remedy_kind::copies, 32));
  EXPECT_FALSE(find(find_data_remedies(p, tried), data_remedy_kind::copies, 32))
      << "copies cost more on two of three runs";
}

// Every copy must be cleared before the counting, and the counts of all copies must be added at the end. If there are
// few counts, this work costs more than the copies save.
TEST(DataRemedies, CopiesAreFilledAndAddedUp) {
  problem p = counters(popc_inc(), 8, scattered);
  p.groups.push_back({"fill", {}, false});
  p.accesses.push_back({make_access(st(4), [](u32 lane) { return lane * 4; }), 16, 1});
  const data_remedies d = find_data_remedies(p);
  EXPECT_EQ(d.others, 16u);
  EXPECT_EQ(d.list.at(0).wavefronts.at(0), counted(p, p.of_data) + 16);
  EXPECT_FALSE(find(d, data_remedy_kind::copies, 32)) << "copies would take 8 + 16 * 32 wavefronts, which is more";
}

// Each of two warps counts in its own half of the array. A single histogram with a copy for each lane takes 16 times as
// much memory. A copy for each lane of each warp would take 32 times as much memory.
TEST(DataRemedies, CopiesByLaneTakeThePlaceOfThoseByWarp) {
  problem p = counters(popc_inc(), 200, [](u32 i, u32 lane) { return scattered(i, lane) / 2 + i % 2 * 128; });
  const auto is_folded = [](const data_remedies& d) {
    return std::any_of(d.list.begin(), d.list.end(), [](const data_remedy& r) { return r.instead_of != 1; });
  };
  EXPECT_FALSE(is_folded(find_data_remedies(p))) << "it is unknown which warp uses which half";
  for (weighted_access& w : p.of_data) w.warp_span_bytes = 256 * 4;
  EXPECT_FALSE(is_folded(find_data_remedies(p))) << "a warp counts in both halves";
  for (weighted_access& w : p.of_data) w.warp_span_bytes = 128 * 4;
  problem channels = p;
  for (std::size_t i = 0; i < p.of_data.size(); ++i) channels.of_data[i].instruction = static_cast<u32>(i % 2);
  EXPECT_FALSE(is_folded(find_data_remedies(channels)))
      << "each half has its own instruction, such as one for red and one for green";
  const data_remedies d = find_data_remedies(p);
  const auto folded =
      std::find_if(d.list.begin(), d.list.end(), [](const data_remedy& r) { return r.instead_of == 2; });
  ASSERT_NE(folded, d.list.end());
  EXPECT_EQ(folded->copies, 32u);
  EXPECT_EQ(folded->bytes, 128u * 4 * 32);
  EXPECT_EQ(folded->wavefronts.at(0), 200u);
}

TEST(DataRemedies, LanesOnOneWordQueueUnlessTheyComeAsOne) {
  const problem p = counters(red_add(), 50, [](u32 i, u32) { return i; });
  const data_remedies d = find_data_remedies(p);
  EXPECT_EQ(d.list.at(0).wavefronts.at(0), 50u * 32);
  EXPECT_EQ(find(d, data_remedy_kind::combine)->wavefronts.at(0), 50u);
  EXPECT_EQ(find(d, data_remedy_kind::sort_and_combine)->wavefronts.at(0), 50u);
  // After sorting, lanes still queue if equal elements are not combined.
  EXPECT_FALSE(find(d, data_remedy_kind::sort));
}

// The position that an atomic returns must be unique. With several copies of a counter, several lanes would get the
// same position. The lanes can still be combined: one lane adds the counts of several lanes.
TEST(DataRemedies, PlacesThatAtomicsGiveBackHaveNoCopies) {
  const problem p = counters(parse_operation("atom.add.b32")->op, 100, scattered);
  const data_remedies d = find_data_remedies(p);
  ASSERT_EQ(d.list.size(), 2u);
  EXPECT_EQ(d.list.at(1).kind, data_remedy_kind::combine);
  EXPECT_GT(find_data_remedies(counters(red_add(), 100, scattered)).list.size(), 2u);
}

// Lanes that load one word are served together. After sorting, neighbouring lanes load the same word or adjacent words.
TEST(DataRemedies, SortedLoadsMeetNoOther) {
  const problem p = counters(ld(4), 200, scattered);
  EXPECT_EQ(find(find_data_remedies(p), data_remedy_kind::sort)->wavefronts.at(0), 200u);
}

TEST(DataRemedies, ATableOf32ElementsFitsTheRegistersOfAWarp) {
  problem p = counters(ld(8), 40, [](u32 i, u32 lane) { return scattered(i, lane) % 32 * 2; });
  p.bytes = 256;
  p.element_bytes = 8;
  const auto shuffled = find(find_data_remedies(p), data_remedy_kind::shuffle);
  ASSERT_TRUE(shuffled);
  EXPECT_EQ(shuffled->wavefronts.at(0), 40u * 2) << "eight bytes need two shuffles";
  EXPECT_EQ(shuffled->bytes, 0u);
  p.bytes = 512;
  EXPECT_FALSE(find(find_data_remedies(p), data_remedy_kind::shuffle));
}

// Each lane counts in its own bytes, and four lanes share each word. If each lane has its own bank, there is no
// conflict.
TEST(DataRemedies, WhatALaneHasGoesToABankOfItsOwn) {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = 64 * 32;
  p.groups = {{"load", {}, true}, {"store", {}, true}};
  for (u32 i = 0; i < 100; ++i)
    for (const u32 group : {0u, 1u})
      p.of_data.push_back(
          {make_access(group == 0 ? ld(1) : st(1), [&](u32 lane) { return scattered(i, lane) / 4 * 32 + lane; }), 1,
           group});
  const data_remedies d = find_data_remedies(p);
  ASSERT_EQ(d.list.size(), 2u);
  EXPECT_EQ(d.list.at(1).kind, data_remedy_kind::own_bank);
  EXPECT_EQ(d.list.at(1).wavefronts, (std::vector<std::uint64_t>{200, 200, 200}));
  EXPECT_EQ(d.list.at(1).bytes, p.bytes);
  // In the made-up inputs, each lane still has its own bytes.
  for (const weighted_access& w : uniform_input(p))
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) EXPECT_EQ(w.what.address[lane] % 32, lane);
}

// The data select the position of each store. If each lane had its own copy of the array, a lane could not read a value
// that another lane stored.
TEST(DataRemedies, WhatIsStoredAndReadHasNoCopies) {
  problem p = counters(ld(4), 100, scattered);
  for (u32 i = 0; i < 100; ++i)
    p.of_data.push_back({make_access(st(4), [&](u32 lane) { return scattered(i + 100, lane) * 4; }), 1, 0});
  EXPECT_EQ(find_data_remedies(p).list.size(), 1u);
}

// For loops around a compare-and-swap, the remedies are in model/remedies.hpp.
TEST(DataRemedies, RoundsAreCountedElsewhere) {
  EXPECT_EQ(find_data_remedies(counters(parse_operation("atom.cas.spin.b32")->op, 9, scattered)).list.size(), 1u);
}

TEST(DataRemedies, UniformIsUniformAndSkewedIsSkewed) {
  const problem p =
      counters(popc_inc(), 300, [](u32 i, u32 lane) { return scattered(i, lane) / 4; });  // 64 of 256 elements are used
  std::vector<double> uniform(64), skewed(64);
  const auto add = [](std::vector<double>& to, const std::vector<weighted_access>& all) {
    double sum = 0;
    for (const weighted_access& w : all)
      for (const u32 at : w.what.address) {
        ASSERT_LT(at, 64u * 4);
        to[at / 4] += static_cast<double>(w.weight);
        sum += static_cast<double>(w.weight);
      }
    EXPECT_EQ(sum, 300 * 32);
  };
  add(uniform, uniform_input(p));
  add(skewed, skewed_input(p));
  for (const double n : uniform) EXPECT_NEAR(n, 150, 60);
  std::sort(skewed.begin(), skewed.end(), std::greater<>());
  double harmonic = 0;
  for (int n = 1; n <= 64; ++n) harmonic += 1.0 / n;
  for (const int n : {1, 2, 4, 8}) EXPECT_NEAR(skewed[static_cast<std::size_t>(n) - 1], 300 * 32 / harmonic / n, 250);
}

TEST(DataRemedies, OtherRunsAreColumns) {
  const problem p = counters(popc_inc(), 100, scattered),
                zeros = counters(popc_inc(), 100, [](u32, u32) { return 0u; });
  const data_remedies d = find_data_remedies(p, {{"zeros", zeros.of_data, 0}});
  EXPECT_EQ(d.inputs.back(), "zeros");
  EXPECT_EQ(d.list.at(0).wavefronts.back(), 100u) << "lanes that count in the same word share the word";
}

// The same question gets the same answer, whatever was asked before.
TEST(DataRemedies, DrawsAreTheSameEachTime) {
  const problem p = counters(popc_inc(), 100, scattered);
  EXPECT_EQ(counted(p, skewed_input(p)), counted(p, skewed_input(p)));
  EXPECT_EQ(find_data_remedies(p).list.at(0).wavefronts, find_data_remedies(p).list.at(0).wavefronts);
}

}  // namespace
}  // namespace bankwise::advise
