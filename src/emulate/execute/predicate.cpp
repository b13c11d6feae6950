// Predicates, votes and exchanges between the lanes of a warp.
#include "emulate/code/shuffle_lanes.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

step plop3(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_logic>();
  const u32 a = m.predicate(u.q0, u.q0_flip), b = m.predicate(u.q1, u.q1_flip);
  const u32 c = !f.c_is_uniform ? m.predicate(u.q2, u.q2_flip) : m.uniform_predicate(u.q2, u.q2_flip) ? all_lanes : 0;
  const u32 first = lop3_of(f.table, a, b, c), second = lop3_of(f.second_table, a, b, c);
  m.set_predicate(u.p0, first, mask);
  m.set_predicate(u.p1, second, mask);
  return step::next;
}

// Applies the function of PLOP3 to the signs of three registers.
step plop3_sign(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_logic>();
  const u32 a = to_mask(m.operand_row(u.a, 0)), b = to_mask(m.operand_row(u.b, 1)), c = to_mask(m.operand_row(u.c, 2));
  m.set_predicate(u.p0, lop3_of(f.table, a, b, c), mask);
  m.set_predicate(u.p1, lop3_of(f.second_table, a, b, c), mask);
  return step::next;
}

bool decide(u32 votes, u32 mask, sass::vote_kind kind) {
  switch (kind) {
    case sass::vote_kind::all: return votes == mask;
    case sass::vote_kind::any: return votes != 0;
    case sass::vote_kind::all_equal: break;
  }
  return votes == 0 || votes == mask;
}

step vote(worker& m, const micro_op& u, u32 mask) {
  const u32 votes = m.predicate(u.q0, u.q0_flip) & mask;
  map1(m.w->reg(u.d), m.w->reg(u.d), mask, [=](u32) { return votes; });
  m.set_predicate(u.p0, decide(votes, mask, u.as<sass::lane_vote>().kind) ? all_lanes : 0, mask);
  return step::next;
}
step voteu(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const u32 votes = m.predicate(u.q0, u.q0_flip) & mask;
  m.set_uniform(u.uniform_d, votes);
  m.set_uniform_predicate(u.p0, decide(votes, mask, u.as<sass::lane_vote>().kind));
  return step::next;
}

step match(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::lane_match>();
  const bool any = f.any, wide = f.wide;
  const u32 *a = m.operand_row(u.a, 0), *high = m.operand_row(u.a_high, 1);
  alignas(64) u32 r[32] = {};
  u32 all_equal = 1;
  each_lane(mask, [&](int i) {
    each_lane(mask, [&](int j) {
      if (a[i] == a[j] && (!wide || high[i] == high[j])) r[i] |= 1u << j;
    });
    if (r[i] != mask) all_equal = 0;
  });
  if (!any) {
    for (u32& x : r) x = all_equal != 0 ? mask : 0;
    m.set_predicate(u.p0, all_equal != 0 ? all_lanes : 0, mask);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// The loops are separate, so that compilers vectorise each loop.
template <sass::shuffle_mode mode>
u32 find_lanes(const u32* by, const u32* limit, u32* from) {
  alignas(64) u32 in_range[32];
  for (u32 lane = 0; lane < 32; ++lane) {
    const shuffled_lane s = shuffled(mode, lane, by[lane], limit[lane]);
    from[lane] = s.from;
    in_range[lane] = s.in_range ? ~0u : 0;
  }
  return to_mask(in_range);
}

step shfl(worker& m, const micro_op& u, u32 mask) {
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  alignas(64) u32 r[32], from[32];
  u32 inside = 0;
  using mode = sass::shuffle_mode;
  switch (u.as<sass::lane_shuffle>().mode) {
    case mode::by_index: inside = find_lanes<mode::by_index>(b, c, from); break;
    case mode::up: inside = find_lanes<mode::up>(b, c, from); break;
    case mode::down: inside = find_lanes<mode::down>(b, c, from); break;
    case mode::butterfly: inside = find_lanes<mode::butterfly>(b, c, from); break;
  }
  for (u32 lane = 0; lane < 32; ++lane) r[lane] = a[from[lane]];
  store(m.w->reg(u.d), r, mask);
  m.set_predicate(u.p0, inside, mask);
  return step::next;
}

}  // namespace

void add_predicate(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::PLOP3, plop3);
  set(op::PLOP3_SIGN, plop3_sign);
  set(op::VOTE, vote);
  set(op::VOTEU, voteu);
  set(op::MATCH, match);
  set(op::SHFL_RR, shfl);
  set(op::SHFL_RI, shfl);
  set(op::SHFL_IR, shfl);
  set(op::SHFL_II, shfl);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
