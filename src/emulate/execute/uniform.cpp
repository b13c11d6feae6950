// The uniform datapath, which computes one result for the warp. Each handler calls the handler of the corresponding
// instruction on lanes, for one lane.
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

step uniform_twin(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  warp& w = *m.w;
  const std::array<u32, 8> kept = w.predicates;
  for (unsigned p = 0; p < 7; ++p) w.predicates[p] = (w.uniform_predicates >> p & 1) != 0 ? all_lanes : 0;
  const step done = u.vector(m, u, 1);
  for (unsigned p = 0; p < 7; ++p) m.set_uniform_predicate(p, (w.predicates[p] & 1) != 0);
  w.predicates = kept;
  m.set_uniform(u.uniform_d, w.reg(trash_row)[0]);
  if (u.uniform_wide) m.set_uniform(u.uniform_d + 1u, w.reg(trash_row + 1)[0]);
  return done;
}
// Returns the value of the first lane. The predicate result marks the lanes whose value differs. With .OR, lanes that
// are already marked stay marked.
step r2ur(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const u32* a = m.operand_row(u.a, 0);
  const u32 chosen = a[std::countr_zero(mask)];
  m.set_uniform(u.uniform_d, chosen);
  if (u.p0 != 7) {
    u32 other = 0;
    for (int i = 0; i < 32; ++i) other |= static_cast<u32>(a[i] != chosen) << i;
    if (u.as<sass::lane_broadcast>().adds_lanes) other |= m.w->predicates[u.p0];
    m.set_predicate(u.p0, other, mask);
  }
  return step::next;
}

// Returns the least or the greatest of the lanes' floats. -0 is less than +0. If all floats are NaN, the result is NaN.
// With .NAN, the result is NaN if any float is NaN.
u32 extreme_float(const sass::lane_reduction& f, const u32* a, u32 mask) {
  constexpr u32 sign = 0x80000000, nan = 0x7fffffff, infinity = 0x7f800000;
  u32 found = nan;
  bool any = false, any_nan = false;
  const auto in_order = [](u32 x) { return static_cast<i32>(x ^ (static_cast<i32>(x) < 0 ? ~sign : 0)); };
  each_lane(mask, [&](int i) {
    const u32 x = f.of_magnitudes ? a[i] & ~sign : a[i];
    if ((x & ~sign) > infinity) {
      any_nan = true;
      return;
    }
    const bool less = in_order(x) < in_order(found);
    if (!any || less == (f.operation == sass::lane_sum::minimum)) found = x;
    any = true;
  });
  return f.keeps_nan && any_nan ? nan : found;
}

// Reduces the values of all active lanes to one value.
step redux(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::lane_reduction>();
  const sass::lane_sum op = f.operation;
  const bool is_signed = f.is_signed;
  const u32* a = m.operand_row(u.a, 0);
  if (f.is_float) {
    m.set_uniform(u.uniform_d, extreme_float(f, a, mask));
    return step::next;
  }
  u32 r = a[std::countr_zero(mask)];
  each_lane(mask & (mask - 1), [&](int i) {
    const bool less = is_signed ? static_cast<i32>(a[i]) < static_cast<i32>(r) : a[i] < r;
    switch (op) {
      case sass::lane_sum::conjunction: r &= a[i]; break;
      case sass::lane_sum::disjunction: r |= a[i]; break;
      case sass::lane_sum::exclusive: r ^= a[i]; break;
      case sass::lane_sum::sum: r += a[i]; break;
      case sass::lane_sum::minimum: r = less ? a[i] : r; break;
      case sass::lane_sum::maximum: r = less ? r : a[i]; break;
    }
  });
  m.set_uniform(u.uniform_d, r);
  return step::next;
}

// Selects the first active lane.
step elect(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const u32 candidates = m.predicate(u.q0, u.q0_flip) & mask;
  const u32 leader = candidates & (0u - candidates);
  m.set_predicate(u.p0, leader, mask);
  m.set_uniform(u.uniform_d, leader == 0 ? 0 : static_cast<u32>(std::countr_zero(leader)));
  return step::next;
}

}  // namespace

void add_uniform(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  for (const sass::opcode_info& row : sass::all_rows())
    if (sass::traits_of(row.op).twin != op::count) set(row.op, uniform_twin);
  set(op::R2UR, r2ur);
  set(op::REDUX, redux);
  set(op::CREDUX, redux);
  set(op::ELECT, elect);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
