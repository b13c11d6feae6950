#include "rule/fast_rule.hpp"

namespace bankwise {

namespace {

constexpr u32 of_loads = 0, of_others = 1, of_matrices = 2;

constexpr bool is_power(u32 n) { return n != 0 && (n & (n - 1)) == 0; }
constexpr u32 shift_of(u32 power) {
  u32 n = 0;
  while (power >> n > 1) ++n;
  return n;
}
// The binary logarithm of each width. For a number that is not a width, the entry is 5.
constexpr u8 shifts[17] = {5, 0, 1, 5, 2, 5, 5, 5, 3, 5, 5, 5, 5, 5, 5, 5, 4};

count_plan plan_of(const bank_model& m, u32 kind, u32 width) {
  const bool is_load = kind == of_loads;
  const u32 lanes = kind == of_matrices ? 8 : m.phase_lanes[width <= 4 ? 0 : width == 8 ? 1 : 2];
  const bool is_plain = (width > 8 ? m.wide : m.narrow) == serving::rows_per_bank && m.banks == 32 &&
                        m.bank_bytes == m.row_bytes && is_power(m.bank_bytes) &&
                        (m.split_bytes == 0 || width <= m.split_bytes) && (lanes == 32 || lanes == 16 || lanes == 8) &&
                        !(m.wide_loads != load_order::neighbours && is_load && width == 16);
  // The unit of a lane is a word of a bank. In a wider access, a unit consists of several neighbouring words, so a
  // phase has fewer columns.
  const u32 unit = width > m.bank_bytes ? width : m.bank_bytes, columns = 32u * m.bank_bytes / unit;
  const bool merges = m.merges_loads && is_load && width > 4;
  if (!is_plain || (unit != m.bank_bytes && lanes > columns) || (merges && lanes == 32)) return {};
  return {true, static_cast<u8>(shift_of(unit)), static_cast<u8>(columns), static_cast<u8>(lanes), merges};
}

#if defined(BANKWISE_RULE_VECTORS)
auto count_by(rule_vectors use) {
  return use == rule_vectors::avx512 ? count_by_avx512 : use == rule_vectors::avx2 ? count_by_avx2 : nullptr;
}
#else
bool (*count_by(rule_vectors))(const access&, const count_plan&, u32, cost&) { return nullptr; }
#endif

}  // namespace

rule_vectors best_rule_vectors() {
#if defined(BANKWISE_RULE_VECTORS)
  static const rule_vectors best = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) return rule_vectors::none;
    const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
    return all ? rule_vectors::avx512 : rule_vectors::avx2;
  }();
  return best;
#else
  return rule_vectors::none;
#endif
}

fast_rule::fast_rule(const bank_model& m, rule_vectors use)
    : model_(m), pass_bytes_(bytes_a_pass(m)), count_(count_by(use)) {
  for (u32 kind = 0; kind < 3; ++kind)
    for (u32 n = 0; n < 5; ++n) plans_[kind][n] = plan_of(m, kind, 1u << n);
}

cost fast_rule::operator()(const access& a) const {
  const op_kind kind = a.op.kind;
  const u32 width = a.op.width_bytes, used = lanes_used(a), shift = width <= 16 ? shifts[width] : 5u;
  if (count_ == nullptr || shift == 5 || kind == op_kind::cas_spin || kind == op_kind::copy_async_cg)
    return analyze(a, model_);
  // A generic load never merges, so it counts as an operation that is not a load.
  const u32 row = is_matrix(kind) ? of_matrices
                  : kind == op_kind::load && !(a.op.generic && model_.wide_loads == load_order::neighbours) ? of_loads
                                                                                                            : of_others;
  const count_plan& p = plans_[row][shift];
  cost c = {};
  if (!p.possible) return analyze(a, model_);
  if (used == 0) return c;
  if (!count_(a, p, used, c)) return analyze(a, model_);
  if (pass_bytes_ == 128)
    detail::finish(c, a, 128, model_.clocks_per_wavefront);
  else
    detail::finish(c, a, pass_bytes_, model_.clocks_per_wavefront);
  return c;
}

}  // namespace bankwise
