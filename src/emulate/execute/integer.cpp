// Moves, sums, products and comparisons of integers. Most handlers compute one expression. The modifiers of each
// operation were checked on an H200 (emulate_probe_test).
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

u32 carry_in(worker& m, const micro_op& u, unsigned which) {
  return which == 0 ? m.predicate(u.q0, u.q0_flip) : m.predicate(u.q1, u.q1_flip);
}

step mov(worker& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.operand_row(u.b, 1), mask, [](u32 b) { return b; });
  if (u.as<sass::wide_move>().wide) map1(m.w->reg(u.d_high), m.operand_row(u.b_high, 2), mask, [](u32 b) { return b; });
  return step::next;
}

step sel(worker& m, const micro_op& u, u32 mask) {
  const u32 p = m.predicate(u.q0, u.q0_flip);
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) r[i] = (p & lane_bit[i]) != 0 ? a[i] : b[i];
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Computes a + b + c. For a negated operand, the flip is all ones, and 1 is added to the sum. With .X (`extended`),
// carries are added instead of these ones.
template <bool extended>
step iadd3(worker& m, const micro_op& u, u32 mask) {
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 fa = u.flip_a, fb = u.flip_b, fc = u.flip_c;
  if (!extended && u.p0 == 7 && u.p1 == 7) {
    // -x is ~x + 1
    const u32 ones = (fa & 1) + (fb & 1) + (fc & 1);
    map3(m.w->reg(u.d), a, b, c, mask, [=](u32 x, u32 y, u32 z) { return (x ^ fa) + (y ^ fb) + (z ^ fc) + ones; });
    return step::next;
  }
  const u32 carry_0 = extended ? carry_in(m, u, 0) : 0, carry_1 = extended ? carry_in(m, u, 1) : 0;
  const u64 ones = extended ? 0 : (fa & 1) + (fb & 1) + (fc & 1);
  alignas(32) u32 r[32], over_1[32], over_2[32];
  for (int i = 0; i < 32; ++i) {
    u64 sum = static_cast<u64>(a[i] ^ fa) + (b[i] ^ fb) + (c[i] ^ fc) + ones;
    if (extended) sum += (carry_0 >> i & 1) + (carry_1 >> i & 1);
    r[i] = static_cast<u32>(sum);
    over_1[i] = sum >> 32 >= 1 ? ~0u : 0;
    over_2[i] = sum >> 32 >= 2 ? ~0u : 0;
  }
  store(m.w->reg(u.d), r, mask);
  m.set_predicate(u.p0, to_mask(over_1), mask);
  m.set_predicate(u.p1, to_mask(over_2), mask);
  return step::next;
}

// Computes (a << shift) + b. With .HI, computes b plus the upper word of {c, a} << shift.
step lea(worker& m, const micro_op& u, u32 mask) {
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const auto& f = u.as<sass::scaled_add>();
  const unsigned shift = f.shift;
  if (!f.high && !f.extended && u.p0 == 7) {
    const u32 fa = u.flip_a, fb = u.flip_b, ones = (fa & 1) + (fb & 1);
    map2(m.w->reg(u.d), a, b, mask, [=](u32 x, u32 y) { return ((x << shift) ^ fa) + (y ^ fb) + ones; });
    return step::next;
  }
  const u32 carry = f.extended ? m.predicate(u.q0, u.q0_flip) : 0;
  alignas(32) u32 r[32], over[32];
  for (int i = 0; i < 32; ++i) {
    const u32 above = f.sign_extends ? static_cast<u32>(static_cast<i32>(a[i]) >> 31) : c[i];
    const u32 shifted = f.high ? static_cast<u32>(join(a[i], above) >> (32 - shift)) : a[i] << shift;
    u64 sum = static_cast<u64>(shifted ^ u.flip_a) + (b[i] ^ u.flip_b);
    sum += f.extended ? (carry >> i & 1) : (u.flip_a & 1) + (u.flip_b & 1);
    r[i] = static_cast<u32>(sum);
    over[i] = sum >> 32 != 0 ? ~0u : 0;
  }
  store(m.w->reg(u.d), r, mask);
  m.set_predicate(u.p0, to_mask(over), mask);
  return step::next;
}

step iabs(worker& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.operand_row(u.b, 1), mask, [](u32 b) { return static_cast<i32>(b) < 0 ? 0u - b : b; });
  return step::next;
}

// With .EX (`extended`), the operands are upper words, and q1 is the result of the comparison of the lower words.
step isetp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_comparison>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  u32 less = 0, equal = 0, equal_high = ~0u, less_high = 0;
  if (f.wide) {
    const u32 *ah = m.operand_row(u.a_high, 2), *bh = m.operand_row(u.b_high, 3);
    const u32 sign = f.is_signed ? 0x80000000u : 0;
    less_high = where2(ah, bh, [=](u32 x, u32 y) { return (x ^ sign) < (y ^ sign); });
    equal_high = where2(ah, bh, [](u32 x, u32 y) { return x == y; });
  }
  if (f.is_signed && !f.wide)
    less = where2(a, b, [](u32 x, u32 y) { return static_cast<i32>(x) < static_cast<i32>(y); });
  else
    less = where2(a, b, [](u32 x, u32 y) { return x < y; });
  equal = where2(a, b, [](u32 x, u32 y) { return x == y; }) & equal_high;
  less = less_high | (less & equal_high);
  const u32 low = f.extended ? m.predicate(u.q1, u.q1_flip) : 0;
  u32 r = 0;
  using relation = sass::integer_relation;
  switch (f.relation) {
    case relation::never: r = 0; break;
    case relation::less: r = f.extended ? less | (equal & low) : less; break;
    case relation::equal: r = f.extended ? equal & low : equal; break;
    case relation::less_equal: r = f.extended ? less | (equal & low) : less | equal; break;
    case relation::greater: r = f.extended ? (~less & ~equal) | (equal & low) : ~(less | equal); break;
    case relation::not_equal: r = f.extended ? ~equal | low : ~equal; break;
    case relation::greater_equal: r = f.extended ? (~less & ~equal) | (equal & low) : ~less; break;
    case relation::always: r = ~0u; break;
  }
  const u32 p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, f.combine), mask);
  m.set_predicate(u.p1, combine(~r, p, f.combine), mask);
  return step::next;
}

// Computes the low word of a * b + c. If extended, adds a carry, and complements c instead of negating it.
step imad(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::carry_add>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 fc = u.flip_c;
  if (!f.extended) {
    const u32 one = fc & 1;
    map3(m.w->reg(u.d), a, b, c, mask, [=](u32 x, u32 y, u32 z) { return x * y + (z ^ fc) + one; });
    return step::next;
  }
  const u32 carry = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) r[i] = a[i] * b[i] + (c[i] ^ fc) + (carry >> i & 1);
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Computes the 64-bit product a * b plus the pair c. If `high`, returns only the upper word.
step imad_wide(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::wide_multiply>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2),
            *ch = m.operand_row(u.c_high, 3);
  if (u.p0 == 7 && u.flip_c == 0 && !f.extended) {
    alignas(32) u32 low[32], high[32];
    const auto multiply = [&](auto product) {
      for (int i = 0; i < 32; ++i) {
        const u64 sum = product(a[i], b[i]) + join(c[i], ch[i]);
        low[i] = static_cast<u32>(sum);
        high[i] = static_cast<u32>(sum >> 32);
      }
    };
    if (f.is_signed)
      multiply([](u32 x, u32 y) { return static_cast<u64>(i64{static_cast<i32>(x)} * static_cast<i32>(y)); });
    else
      multiply([](u32 x, u32 y) { return u64{x} * y; });
    if (!f.high) store(m.w->reg(u.d), low, mask);
    store(m.w->reg(f.high ? u.d : u.d_high), high, mask);
    return step::next;
  }
  const u32 carry = f.extended ? m.predicate(u.q0, u.q0_flip) : 0;
  alignas(32) u32 low[32], high[32], over[32];
  for (int i = 0; i < 32; ++i) {
    const u64 product = f.is_signed
                            ? static_cast<u64>(static_cast<i64>(static_cast<i32>(a[i])) * static_cast<i32>(b[i]))
                            : static_cast<u64>(a[i]) * b[i];
    u64 addend = join(c[i], ch[i]);
    if (u.flip_c != 0) addend = f.extended ? ~addend : 0 - addend;
    u64 sum = product + addend;
    bool carried = sum < product;
    if (f.extended && (carry >> i & 1) != 0) carried |= ++sum == 0;
    low[i] = static_cast<u32>(sum);
    high[i] = static_cast<u32>(sum >> 32);
    over[i] = carried ? ~0u : 0;
  }
  if (f.high) {
    store(m.w->reg(u.d), high, mask);
  } else {
    store(m.w->reg(u.d), low, mask);
    store(m.w->reg(u.d_high), high, mask);
  }
  m.set_predicate(u.p0, to_mask(over), mask);
  return step::next;
}

// --- 64-bit integers of sm_120, in pairs of registers

__extension__ using u128 = unsigned __int128;

template <class F>
step map_64(worker& m, const micro_op& u, u32 mask, F f) {
  const u32 *a = m.operand_row(u.a, 0), *ah = m.operand_row(u.a_high, 1), *b = m.operand_row(u.b, 2),
            *bh = m.operand_row(u.b_high, 3), *c = m.operand_row(u.c, 4), *ch = m.operand_row(u.c_high, 5);
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const u64 r = f(join(a[i], ah[i]), join(b[i], bh[i]), join(c[i], ch[i]), i);
    low[i] = static_cast<u32>(r);
    high[i] = static_cast<u32>(r >> 32);
  }
  store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// If extended, adds a carry, and complements negated operands. p0 is the carry of the result.
step iadd_64(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::carry_add>();
  const u32 carry_in = f.extended ? m.predicate(u.q0, u.q0_flip) : 0;
  u32 carry_out = 0;
  const step done = map_64(m, u, mask, [&](u64 a, u64 b, u64 c, int i) {
    const auto operand = [&](u64 x, u32 flip) { return flip == 0 ? u128{x} : u128{~x} + (f.extended ? 0u : 1u); };
    const u128 sum = operand(a, u.flip_a) + operand(b, u.flip_b) + operand(c, u.flip_c) + (carry_in >> i & 1);
    carry_out |= static_cast<u32>(sum >> 64 != 0) << i;
    return static_cast<u64>(sum);
  });
  m.set_predicate(u.p0, carry_out, mask);
  return done;
}

step sel_64(worker& m, const micro_op& u, u32 mask) {
  const u32 p = m.predicate(u.q0, u.q0_flip);
  return map_64(m, u, mask, [=](u64 a, u64 b, u64, int i) { return (p & lane_bit[i]) != 0 ? a : b; });
}

}  // namespace

void add_integer(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::MOV, mov);
  set(op::SEL, sel);
  set(op::IADD3, [](worker& m, const micro_op& u, u32 mask) {
    return u.as<sass::carry_add>().extended ? iadd3<true>(m, u, mask) : iadd3<false>(m, u, mask);
  });
  set(op::LEA, lea);
  set(op::IABS, iabs);
  set(op::ISETP, isetp);
  set(op::IMAD, imad);
  set(op::IMAD_WIDE, imad_wide);
  set(op::IMAD_HI, imad_wide);
  set(op::MOV_64, mov);
  set(op::IADD_64, iadd_64);
  set(op::SEL_64, sel_64);
  set(op::SEL_64_I, sel_64);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
