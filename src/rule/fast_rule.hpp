// Applies the rule to many accesses. It returns the same results as bankwise::analyze, with code that is optimised for
// the CPU.
//
//     const fast_rule cost_of(machine.model);
//     cost_of(a) == analyze(a, machine.model)      for every access, and three times as fast on a CPU with AVX-512
//
// analyze() is the reference. fast_rule_test compares fast_rule with analyze().
#pragma once

#include "rule/count_phases.hpp"

namespace bankwise {

enum class rule_vectors : u8 { none, avx2, avx512 };
// The best vector instructions that this CPU supports.
rule_vectors best_rule_vectors();

class fast_rule {
 public:
  explicit fast_rule(const bank_model& m, rule_vectors use = best_rule_vectors());
  cost operator()(const access& a) const;

 private:
  bank_model model_;
  u32 pass_bytes_;
  bool (*count_)(const access& a, const count_plan& p, u32 used, cost& c);  // null if only analyze() is used
  // first index: loads, other operations, matrices; second index: the binary logarithm of the width
  count_plan plans_[3][5];
};

}  // namespace bankwise
