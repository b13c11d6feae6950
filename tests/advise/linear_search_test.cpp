// Tests the search over layouts that are linear over GF(2).
#include "advise/search/linear_search.hpp"

#include <gtest/gtest.h>

#include "advise/search/evaluator.hpp"

namespace bankwise::advise {
namespace {

// ldmatrix reads eight pieces of 16 bytes at once. The rows have 128 bytes, so all pieces are in the same banks.
problem rows_of_a_tile(const char* machine_name) {
  problem p;
  p.on = *parse_machine(machine_name);
  p.bytes = 64 * 128;
  p.pitch_bytes = 128;
  p.element_bytes = 2;
  p.groups = {{"load", *parse_operation("ldmatrix.x4")}};
  for (u32 k = 0; k < 4; ++k)
    p.accesses.push_back({make_access(ldmatrix(4), [=](u32 t) { return t % 16 * 128 + (t / 16 + 2 * k) * 16; }), 1, 0});
  return p;
}

TEST(LinearSearch, FindsTheSwizzleThatTheTileNeeds) {
  const problem p = rows_of_a_tile("sm_90");
  ASSERT_TRUE(has_linear_search(p));
  evaluator e(p);
  EXPECT_EQ(e.wavefronts({}), 4u * 32);
  for (const bool keep_rows : {true, false}) {
    const linear_result r = search_linear(p, keep_rows, 4 * 32, 1'000'000);
    ASSERT_TRUE(r.best) << keep_rows;
    EXPECT_TRUE(is_invertible(*r.best));
    EXPECT_EQ(r.wavefronts, 4u * 4);
    const relayout found{.terms = terms_of(*r.best)};
    EXPECT_EQ(e.wavefronts(found), r.wavefronts);
    for (u32 offset = 0; keep_rows && offset < p.bytes; offset += 2) ASSERT_EQ(found(offset) / 128, offset / 128);
  }
}

TEST(LinearSearch, SaysWhereItStoppedEarlyOrFoundNothing) {
  const problem p = rows_of_a_tile("sm_90");
  const linear_result none = search_linear(p, true, 16, 1'000'000);  // no layout is below the lower bound
  EXPECT_FALSE(none.best);
  EXPECT_TRUE(none.exhaustive);
  const linear_result early = search_linear(p, false, 4 * 32, 1);
  EXPECT_FALSE(early.exhaustive);
}

TEST(LinearSearch, IsForPowersOfTwo) { EXPECT_FALSE(has_linear_search(rows_of_a_tile("10x4"))); }

}  // namespace
}  // namespace bankwise::advise
