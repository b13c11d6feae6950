// Compares the vectorised counts with analyze(), for every architecture, operation and kind of mask, and for many kinds
// of addresses.
#include "rule/fast_rule.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "expr/pattern_table.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

std::vector<rule_vectors> vectors_here() {
  std::vector<rule_vectors> all{rule_vectors::none};
  if (best_rule_vectors() >= rule_vectors::avx2) all.push_back(rule_vectors::avx2);
  if (best_rule_vectors() >= rule_vectors::avx512) all.push_back(rule_vectors::avx512);
  return all;
}

std::vector<bank_model> models() {
  std::vector<bank_model> all;
  for (const arch& a : archs) all.push_back(a.model);
  for (const arch& a : other_archs) all.push_back(a.model);
  // These machines do not exist. They have few or many banks, narrow or wide banks, or short phases. The last machine
  // can merge the phases of loads, although a phase already contains the whole warp.
  for (const bank_model& m : {flat_model(32, 4), flat_model(16, 4), flat_model(64, 4), flat_model(32, 8, 16, 8, 8),
                              flat_model(32, 2), flat_model(32, 1, 16, 16, 8), flat_model(32, 16, 8, 4, 2)})
    all.push_back(m);
  bank_model merging = flat_model(32, 4);
  merging.merges_loads = true;
  all.push_back(merging);
  return all;
}

std::vector<operation> operations() {
  std::vector<operation> all{popc_inc(), cp_async_cg()};
  for (const u32 width : {1u, 2u, 4u, 8u, 16u})
    for (const operation o : {ld(width), ld_generic(width), st(width), atom(width), red(width), cas(width),
                              cas_spin(width), cp_async(width)})
      if (valid(o)) all.push_back(o);
  for (const u32 count : {1u, 2u, 4u}) all.push_back(ldmatrix(count)), all.push_back(stmatrix(count));
  return all;
}

class any_access {
 public:
  access operator()(operation op) {
    access a{op, mask(), {}};
    const u32 span = 1u << next() % 20, stride = next() % 65, shape = next() % 6;
    const u32 base = (next() % 4 == 0 ? next() : next() % 4096) * op.width_bytes;
    const u32 off = next() % 16 == 0 ? next() % op.width_bytes : 0;  // misaligned
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      const u32 unit = shape == 0   ? next() % span
                       : shape == 1 ? i * stride
                       : shape == 2 ? i / 2 * stride
                       : shape == 3 ? (i / 4 * 2 + i % 2) * stride
                       : shape == 4 ? i % 8 * stride + i / 8 * (next() % 2)
                                    : (i * stride) ^ (i / 4);
      a.address[i] = base + off + unit * op.width_bytes;
    }
    if (next() % 32 == 0) a.address[next() % lanes_per_warp] = next() / op.width_bytes * op.width_bytes;  // far away
    return a;
  }

 private:
  u32 next() { return static_cast<u32>(numbers_()); }
  u32 mask() {
    switch (next() % 5) {
      case 0: return full_mask;
      case 1: return next();
      case 2: return next() & next() & next();
      case 3: return full_mask << next() % lanes_per_warp;
      default: return 1u << next() % lanes_per_warp;
    }
  }
  std::mt19937 numbers_{20261126};
};

testing::AssertionResult same(const cost& fast, const cost& plain) {
  if (fast.wavefronts == plain.wavefronts && fast.ideal == plain.ideal && fast.reachable == plain.reachable &&
      fast.passes == plain.passes && fast.cycles == plain.cycles && fast.merged == plain.merged)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << fast.wavefronts << " wavefronts for " << plain.wavefronts << ", reachable "
                                     << fast.reachable << " for " << plain.reachable << ", ideal " << fast.ideal
                                     << " for " << plain.ideal << ", passes " << fast.passes << " for " << plain.passes
                                     << ", cycles " << fast.cycles << " for " << plain.cycles << ", merged "
                                     << static_cast<int>(fast.merged) << " for " << static_cast<int>(plain.merged);
}

TEST(FastRule, AnswersWhatAnalyzeAnswers) {
  any_access any;
  for (const bank_model& m : models())
    for (const rule_vectors use : vectors_here()) {
      const fast_rule cost_of(m, use);
      for (const operation op : operations())
        for (int n = 0; n < 60; ++n) {
          const access a = any(op);
          ASSERT_TRUE(same(cost_of(a), analyze(a, m)))
              << "vectors " << static_cast<int>(use) << ", " << m.banks << " banks of " << m.bank_bytes << ", kind "
              << static_cast<int>(op.kind) << ", " << int{op.width_bytes} << " bytes, mask " << std::hex << a.mask;
        }
    }
}

TEST(FastRule, AnswersWhatHardwareCounted) {
  const std::string text = test::read_text(test::source_path("data/sm_90/wavefronts.csv"));
  std::size_t rows = 0;
  for (const rule_vectors use : vectors_here()) {
    auto table = pattern_table::open(text, "wavefronts.csv");
    ASSERT_TRUE(table) << to_text(table.error());
    const fast_rule cost_of(maxwell_model(), use);
    for (auto row = table->next(); row && *row; row = table->next(), ++rows)
      ASSERT_TRUE(same(cost_of((*row)->what), analyze((*row)->what))) << "row " << rows;
  }
  EXPECT_GT(rows, 4000u);
}

}  // namespace
}  // namespace bankwise
