// Tests properties that hold for every access, whatever its cost is.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

const std::vector<operation> memory_operations = {ld(1),  ld(2),  ld(4),      ld(8),       ld(16),  st(1),
                                                  st(4),  st(8),  st(16),     atom(4),     atom(8), red(4),
                                                  cas(4), cas(8), popc_inc(), cp_async(16)};
std::vector<operation> all_operations() {
  std::vector<operation> all = memory_operations;
  all.push_back(cp_async_cg());  // the cost depends on lines, so several properties of bank costs do not hold
  return all;
}

access any_access(const std::vector<operation>& operations) {
  access a{*rc::gen::elementOf(operations), *rc::gen::arbitrary<u32>(), {}};
  const u32 span = *rc::gen::element(4u, 33u, 256u, 4096u);
  for (u32& address : a.address) address = *rc::gen::inRange(0u, span) * a.op.width_bytes;
  return a;
}

RC_GTEST_PROP(Rule, ShiftByAFullRowOfBanksChangesNothing, ()) {
  const access a = any_access(all_operations());
  access b = a;
  const u32 shift = 128 * *rc::gen::inRange(0u, 1000u);
  for (u32& address : b.address) address += shift;
  RC_ASSERT(wavefronts(a) == wavefronts(b));
}

RC_GTEST_PROP(Rule, ShiftByAWordRotatesBanksAndChangesNothing, ()) {
  const access a = any_access(memory_operations);
  access b = a;
  const u32 shift = std::max<u32>(4, a.op.width_bytes) * *rc::gen::inRange(0u, 64u);
  for (u32& address : b.address) address += shift;
  RC_ASSERT(wavefronts(a) == wavefronts(b));
}

// If lanes are permuted within every phase, the phases are the same. For wide loads, a permutation may prevent or cause
// a merge, so the test uses stores.
RC_GTEST_PROP(Rule, PermutingLanesWithinPhasesChangesNothing, ()) {
  const access a = any_access({ld(1), ld(2), ld(4), st(4), st(8), st(16), atom(4), atom(8), cp_async(16)});
  const u32 size = a.op.width_bytes <= 4 ? 32 : a.op.width_bytes == 8 ? 16 : 8;
  std::vector<u32> order(size);
  std::iota(order.begin(), order.end(), 0u);
  for (u32 i = size; i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange(0u, i)]);
  access b{a.op, 0, {}};
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 to = lane / size * size + order[lane % size];
    b.address[to] = a.address[lane];
    b.mask |= (a.mask >> lane & 1) << to;
  }
  RC_ASSERT(wavefronts(a) == wavefronts(b));
}

// Fewer active lanes never cost more. This is also true for loads, because a lane that becomes inactive never prevents
// a merge.
RC_GTEST_PROP(Rule, ASmallerMaskNeverCostsMore, ()) {
  const access a = any_access(memory_operations);
  access b = a;
  b.mask &= *rc::gen::arbitrary<u32>();
  RC_ASSERT(wavefronts(b) <= wavefronts(a));
}

RC_GTEST_PROP(Rule, WavefrontsAreBounded, ()) {
  const access a = any_access(all_operations());
  const cost c = analyze(a);
  const u32 lanes = count_lanes(a.mask);
  RC_ASSERT(c.wavefronts <= lanes * (a.op.kind == op_kind::compare_and_swap ? 2u : 1u));
  RC_ASSERT((c.wavefronts == 0) == (lanes == 0));
  RC_ASSERT(c.reachable <= c.wavefronts);
}

// In a load, a lane with the same address as another active lane costs nothing.
RC_GTEST_PROP(Rule, BroadcastIsFree, ()) {
  access a = any_access({ld(1), ld(2), ld(4)});
  const u32 word = *rc::gen::inRange(0u, 4096u) * 4;
  for (u32& address : a.address) address = word;
  RC_PRE(a.mask != 0);
  RC_ASSERT(wavefronts(a) == 1u);
}

// A load never costs more than a store to the same addresses. Merging is the only difference, and merging only reduces
// the cost.
RC_GTEST_PROP(Rule, LoadsNeverCostMoreThanStores, ()) {
  const access a = any_access({ld(1), ld(2), ld(4), ld(8), ld(16)});
  access b = a;
  b.op = st(a.op.width_bytes);
  RC_ASSERT(wavefronts(a) <= wavefronts(b));
}

}  // namespace
}  // namespace bankwise
