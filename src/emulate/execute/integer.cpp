// Integers, moves, shifts and bits. Each handler's meaning is one expression; what modifiers do was checked against an
// H200, operation by operation (tests/emulate).
#include <algorithm>

#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

u32 carry_in(machine& m, const micro_op& u, unsigned which) {
  return which == 0 ? m.predicate(u.q0, u.q0_flip) : m.predicate(u.q1, u.q1_flip);
}

step mov(machine& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.at(u.b, 1), mask, [](u32 b) { return b; });
  if (u.as<sass::wide_move>().wide) map1(m.w->reg(u.d_high), m.at(u.b_high, 2), mask, [](u32 b) { return b; });
  return step::next;
}

step sel(machine& m, const micro_op& u, u32 mask) {
  const u32 p = m.predicate(u.q0, u.q0_flip);
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) r[i] = (p & lane_bit[i]) != 0 ? a[i] : b[i];
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step prmt(machine& m, const micro_op& u, u32 mask) {
  const unsigned mode = u.as<sass::byte_permute>().mode;
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) { return permute(a, b, c, mode); });
  return step::next;
}

// a + b + c with negations and carries. flip_*: all ones where an operand is negated (or, with .X, complemented).
template <bool extended>
step iadd3(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
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

// (a << shift) + b, or the upper word of {c, a} << shift plus b.
step lea(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
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

// The predicate result is whether any bit is set, or-ed (.PAND: and-ed) with the predicate operand.
step lop3(machine& m, const micro_op& u, u32 mask) {
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  alignas(32) u32 r[32];
  const auto& f = u.as<sass::bitwise>();
  switch (f.table) {
    case 0xc0:
      for (int i = 0; i < 32; ++i) r[i] = a[i] & b[i];
      break;
    case 0xfc:
      for (int i = 0; i < 32; ++i) r[i] = a[i] | b[i];
      break;
    case 0x3c:
      for (int i = 0; i < 32; ++i) r[i] = a[i] ^ b[i];
      break;
    default: {
      const u32 lut = f.table;
      // Masks instead of branches: the table entry of each combination, spread over a word.
      u32 entry[8];
      for (unsigned k = 0; k < 8; ++k) entry[k] = 0u - (lut >> k & 1);
      for (int i = 0; i < 32; ++i) {
        const u32 x = a[i], y = b[i], z = c[i];
        const u32 low = (~z & entry[0]) | (z & entry[1]), low_y = (~z & entry[2]) | (z & entry[3]);
        const u32 high = (~z & entry[4]) | (z & entry[5]), high_y = (~z & entry[6]) | (z & entry[7]);
        r[i] = (~x & ((~y & low) | (y & low_y))) | (x & ((~y & high) | (y & high_y)));
      }
      break;
    }
  }
  if (u.p0 != 7) {
    alignas(32) u32 any[32];
    for (int i = 0; i < 32; ++i) any[i] = r[i] != 0 ? ~0u : 0;
    const u32 p = m.predicate(u.q0, u.q0_flip), some = to_mask(any);
    m.set_predicate(u.p0, f.all ? some & p : some | p, mask);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step iabs(machine& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.at(u.b, 1), mask, [](u32 b) { return static_cast<i32>(b) < 0 ? 0u - b : b; });
  return step::next;
}

// |a - b| + c.
step vabsdiff(machine& m, const micro_op& u, u32 mask) {
  const bool is_signed = u.as<sass::difference>().is_signed;
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask, [=](u32 a, u32 b, u32 c) {
    const bool less = is_signed ? static_cast<i32>(a) < static_cast<i32>(b) : a < b;
    return (less ? b - a : a - b) + c;
  });
  return step::next;
}

// Byte by byte; accumulating (.ACC): the sum of the four differences plus c, else four bytes plus c.
step vabsdiff4(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::difference>();
  const bool is_signed = f.is_signed, accumulate = f.accumulates;
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask, [=](u32 a, u32 b, u32 c) {
    u32 sum = c, bytes = 0;  // c only counts with .ACC
    for (unsigned k = 0; k < 32; k += 8) {
      const i32 x = is_signed ? static_cast<std::int8_t>(a >> k) : static_cast<i32>(a >> k & 0xff);
      const i32 y = is_signed ? static_cast<std::int8_t>(b >> k) : static_cast<i32>(b >> k & 0xff);
      const u32 d = static_cast<u32>(x < y ? y - x : x - y);
      sum += d;
      bytes |= (d & 0xff) << k;
    }
    return accumulate ? sum : bytes;
  });
  return step::next;
}

// Extended: this is the upper word, and q1 the result for the lower one.
step isetp(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_comparison>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  u32 less = 0, equal = 0, equal_high = ~0u, less_high = 0;
  if (f.wide) {
    const u32 *ah = m.at(u.a_high, 2), *bh = m.at(u.b_high, 3);
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
  switch (f.comparison) {
    case 0: r = 0; break;
    case 1: r = f.extended ? less | (equal & low) : less; break;
    case 2: r = f.extended ? equal & low : equal; break;
    case 3: r = f.extended ? less | (equal & low) : less | equal; break;
    case 4: r = f.extended ? (~less & ~equal) | (equal & low) : ~(less | equal); break;
    case 5: r = f.extended ? ~equal | low : ~equal; break;
    case 6: r = f.extended ? (~less & ~equal) | (equal & low) : ~less; break;
    default: r = ~0u; break;
  }
  const u32 p = m.predicate(u.q0, u.q0_flip);
  m.set_predicate(u.p0, combine(r, p, f.combine), mask);
  m.set_predicate(u.p1, combine(~r, p, f.combine), mask);
  return step::next;
}

// Funnel shift of {c, a} by b.
step shf(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::funnel_shift>();
  const bool wide = f.wide(), is_signed = f.is_signed(), right = f.right, wrap = f.wraps, high = f.high;
  // Shifts of one word.
  if (!right && !high) {
    const u32 most = wide ? 63 : 31;
    map2(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), mask, [=](u32 a, u32 b) {
      const u32 n = wrap ? b & most : b;
      return n > 31 ? 0 : a << (n & 31);
    });
    return step::next;
  }
  if (right && high && !wide) {
    const u32 *b = m.at(u.b, 1), *c = m.at(u.c, 2);
    u32* d = m.w->reg(u.d);
    if (is_signed)
      map2(d, b, c, mask,
           [=](u32 n, u32 x) { return static_cast<u32>(static_cast<i32>(x) >> (wrap || n < 31 ? n & 31 : 31)); });
    else
      map2(d, b, c, mask, [=](u32 n, u32 x) { return wrap || n < 32 ? x >> (n & 31) : 0; });
    return step::next;
  }
  const u32 bits = wide ? 64 : 32;
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask, [=](u32 a, u32 b, u32 c) {
    const u32 n = wrap ? b & (bits - 1) : std::min(b, bits);
    const u64 x = join(a, c);
    u64 r = 0;
    if (right) {
      if (is_signed)
        r = static_cast<u64>(static_cast<i64>(x) >> (n > 63 ? 63 : n));
      else
        r = n > 63 ? 0 : x >> n;
    } else {
      r = n > 63 ? 0 : x << n;
    }
    return static_cast<u32>(high ? r >> 32 : r);
  });
  return step::next;
}

// Keeps b low bits and extends their sign or zeros; wrapping: b modulo 32.
step sgxt(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bit_range>();
  const bool is_signed = f.is_signed, wrap = f.wraps;
  map2(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), mask, [=](u32 a, u32 b) -> u32 {
    const u32 n = wrap ? b & 31 : b;
    if (n >= 32) return a;
    if (n == 0) return 0;
    const u32 kept = a & ((1u << n) - 1);
    return is_signed && (kept >> (n - 1) & 1) != 0 ? kept | ~0u << n : kept;
  });
  return step::next;
}

// b ones from bit a on; wrapping: both modulo 32.
step bmsk(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bit_range>();
  const bool wrap = f.wraps;
  map2(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), mask, [=](u32 a, u32 b) -> u32 {
    const u32 at = wrap ? a & 31 : a, n = wrap ? b & 31 : b;
    if (at >= 32) return 0;
    return (n >= 32 ? ~0u : (1u << n) - 1) << at;
  });
  return step::next;
}

// The low word of a * b + c. Extended: c complemented instead of negated, plus a carry.
step imad(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::carry_add>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
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

// a * b as 64 bits plus the pair c; high: only the upper word is kept.
step imad_wide(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::wide_multiply>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2), *ch = m.at(u.c_high, 3);
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

// Dot products of four bytes, or of two halves with two bytes.
step idp(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::dot_product>();
  const unsigned kind = f.kind;
  const bool sa = f.a_signed, sb = f.b_signed;
  const u32 fc = u.flip_c;
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask, [=](u32 a, u32 b, u32 c) {
    const auto byte = [](u32 x, unsigned k, bool s) {
      return s ? static_cast<i32>(static_cast<std::int8_t>(x >> 8 * k)) : static_cast<i32>(x >> 8 * k & 0xff);
    };
    const auto half = [](u32 x, unsigned k, bool s) {
      return s ? static_cast<i32>(static_cast<std::int16_t>(x >> 16 * k)) : static_cast<i32>(x >> 16 * k & 0xffff);
    };
    i64 sum = static_cast<i32>((c ^ fc) + (fc & 1));
    if (kind == 0) {
      for (unsigned k = 0; k < 4; ++k) sum += static_cast<i64>(byte(a, k, sa)) * byte(b, k, sb);
    } else {
      for (unsigned k = 0; k < 2; ++k) sum += static_cast<i64>(half(a, k, sa)) * byte(b, k + (kind == 2 ? 2 : 0), sb);
    }
    return static_cast<u32>(sum);
  });
  return step::next;
}

// A sum of words, 1 of two halves, 2 of signed words, which may saturate, 4 of four bytes.
step viadd(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::packed_add>();
  const u32 fb = u.flip_b;
  const unsigned kind = f.type;
  const bool saturates = f.saturates;
  map2(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), mask, [=](u32 a, u32 b) {
    if (saturates) {
      const i64 x = static_cast<i32>(a), y = static_cast<i32>(b);
      return static_cast<u32>(std::clamp<i64>(fb != 0 ? x - y : x + y, INT32_MIN, INT32_MAX));
    }
    if (kind == 4) {
      u32 r = 0;
      for (unsigned n = 0; n < 32; n += 8) r |= (((a >> n) + ((b ^ fb) >> n) + (fb & 1)) & 0xff) << n;
      return r;
    }
    if (kind != 1) return a + (b ^ fb) + (fb & 1);
    const u32 low = a + b, high = (a >> 16) + (b >> 16);
    return (low & 0xffff) | high << 16;
  });
  return step::next;
}

// Of U32, 1 S32, 2 U16x2, 3 S16x2, 4 U8x4.
u32 pick(u32 a, u32 b, unsigned kind, bool minimum, bool relu) {
  const auto one = [&](i64 x, i64 y) {
    i64 r = (x < y) == minimum ? x : y;
    if (relu && r < 0) r = 0;
    return r;
  };
  switch (kind) {
    case 0: return static_cast<u32>(one(a, b));
    case 1: return static_cast<u32>(one(static_cast<i32>(a), static_cast<i32>(b)));
    case 2:
      return (static_cast<u32>(one(a & 0xffff, b & 0xffff)) & 0xffff) | static_cast<u32>(one(a >> 16, b >> 16)) << 16;
    case 4: {
      u32 r = 0;
      for (unsigned n = 0; n < 32; n += 8) r |= static_cast<u32>(one(a >> n & 0xff, b >> n & 0xff)) << n;
      return r;
    }
    default:
      return (static_cast<u32>(one(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b))) & 0xffff) |
             static_cast<u32>(one(static_cast<std::int16_t>(a >> 16), static_cast<std::int16_t>(b >> 16))) << 16;
  }
}

// The smaller where the predicate holds, else the larger.
step vimnmx(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  if (f.type == 1 && !f.relu && (minimum == 0 || minimum == all_lanes)) {
    const bool low = minimum != 0;
    for (int i = 0; i < 32; ++i) {
      const i32 x = static_cast<i32>(a[i]), y = static_cast<i32>(b[i]);
      r[i] = static_cast<u32>((x < y) == low ? x : y);
    }
  } else {
    for (int i = 0; i < 32; ++i) r[i] = pick(a[i], b[i], f.type, (minimum >> i & 1) != 0, f.relu);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// --- 64-bit integers of sm_120: values in pairs of registers ---

__extension__ using u128 = unsigned __int128;

template <class F>
step map_64(machine& m, const micro_op& u, u32 mask, F f) {
  const u32 *a = m.at(u.a, 0), *ah = m.at(u.a_high, 1), *b = m.at(u.b, 2), *bh = m.at(u.b_high, 3), *c = m.at(u.c, 4),
            *ch = m.at(u.c_high, 5);
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
// Extended: a carry comes in, and negation is of each bit. p0: the carry that goes out.
step iadd_64(machine& m, const micro_op& u, u32 mask) {
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
step sel_64(machine& m, const micro_op& u, u32 mask) {
  const u32 p = m.predicate(u.q0, u.q0_flip);
  return map_64(m, u, mask, [=](u64 a, u64 b, u64, int i) { return (p & lane_bit[i]) != 0 ? a : b; });
}
step imnmx(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  if (!f.wide) return vimnmx(m, u, mask);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  const u64 sign = f.type == 1 ? u64{1} << 63 : 0;
  return map_64(m, u, mask, [=](u64 a, u64 b, u64, int i) {
    return ((a ^ sign) < (b ^ sign)) == ((minimum & lane_bit[i]) != 0) ? a : b;
  });
}

step viaddmnmx(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 sum = a[i] + (b[i] ^ u.flip_b) + (u.flip_b & 1);
    if (f.type >= 2) sum = ((a[i] + b[i]) & 0xffff) | ((a[i] >> 16) + (b[i] >> 16)) << 16;
    r[i] = pick(sum, c[i], f.type, (minimum >> i & 1) != 0, f.relu);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step vimnmx3(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.at(u.a, 0), *b = m.at(u.b, 1), *c = m.at(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const bool low = (minimum >> i & 1) != 0;
    r[i] = pick(pick(a[i], b[i], f.type, low, false), c[i], f.type, low, f.relu);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// The position of the leading one; signed: of the leading bit that differs from the sign. As a shift: from the top.
step flo(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::leading_bit>();
  const u32 flip = u.flip_b;
  const bool is_signed = f.is_signed, shift = f.as_shift;
  u32 found = 0;
  const u32* b = m.at(u.b, 1);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 x = b[i] ^ flip;
    if (is_signed && (x >> 31) != 0) x = ~x;
    const int leading = std::countl_zero(x);
    r[i] = x == 0 ? ~0u : static_cast<u32>(shift ? leading : 31 - leading);
    if (x != 0) found |= 1u << i;
  }
  store(m.w->reg(u.d), r, mask);
  m.set_predicate(u.p0, found, mask);
  return step::next;
}

u32 reverse_bits(u32 x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

step brev(machine& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.at(u.b, 1), mask, reverse_bits);
  return step::next;
}
step popc(machine& m, const micro_op& u, u32 mask) {
  const u32 flip = u.flip_b;
  map1(m.w->reg(u.d), m.at(u.b, 1), mask, [=](u32 b) { return static_cast<u32>(std::popcount(b ^ flip)); });
  return step::next;
}

// Saturating conversion of signed words to U8, 1 S8, 2 U16, 3 S16, ...
i32 saturate(i32 x, unsigned kind) {
  static constexpr i32 least[] = {0, -128, 0, -32768, 0, -2, 0, -8}, most[] = {255, 127, 65535, 32767, 3, 1, 15, 7};
  return std::clamp(x, least[kind & 7], most[kind & 7]);
}
step i2i(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::narrowing>();
  const unsigned kind = f.to;
  map1(m.w->reg(u.d), m.at(u.b, 1), mask, [=](u32 b) { return static_cast<u32>(saturate(static_cast<i32>(b), kind)); });
  return step::next;
}
// Packs two saturated words below the bits of c.
step i2ip(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::narrowing>();
  static constexpr unsigned widths[] = {8, 8, 16, 16, 2, 2, 4, 4};
  const unsigned kind = f.to, width = widths[f.to & 7];
  map3(m.w->reg(u.d), m.at(u.a, 0), m.at(u.b, 1), m.at(u.c, 2), mask, [=](u32 a, u32 b, u32 c) {
    const u32 low_mask = (1u << width) - 1;
    const u32 x = static_cast<u32>(saturate(static_cast<i32>(a), kind)) & low_mask;
    const u32 y = static_cast<u32>(saturate(static_cast<i32>(b), kind)) & low_mask;
    const u32 pair = x << width | y;
    return width == 16 ? pair : pair | c << (2 * width);
  });
  return step::next;
}

// The predicates as bits of a byte of a register, and back.
step p2r(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_byte>();
  const unsigned shift = 8u * f.byte;
  const u32 chosen = f.mask << shift;
  const u32* a = m.at(u.a, 0);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 bits = 0;
    for (unsigned p = 0; p < 7; ++p) bits |= (m.w->predicates[p] >> i & 1) << p;
    r[i] = (a[i] & ~chosen) | (bits << shift & chosen);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}
step r2p(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_byte>();
  const u32* a = m.at(u.a, 0);
  for (unsigned p = 0; p < 7; ++p) {
    if ((f.mask >> p & 1) == 0) continue;
    u32 lanes = 0;
    for (int i = 0; i < 32; ++i) lanes |= (a[i] >> (8u * f.byte + p) & 1) << i;
    m.set_predicate(p, lanes, mask);
  }
  return step::next;
}

}  // namespace

void add_integer(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::MOV, mov);
  set(op::SEL, sel);
  set(op::PRMT, prmt);
  set(op::IADD3, [](machine& m, const micro_op& u, u32 mask) {
    return u.as<sass::carry_add>().extended ? iadd3<true>(m, u, mask) : iadd3<false>(m, u, mask);
  });
  set(op::LEA, lea);
  set(op::LOP3, lop3);
  set(op::IABS, iabs);
  set(op::VABSDIFF, vabsdiff);
  set(op::VABSDIFF4, vabsdiff4);
  set(op::ISETP, isetp);
  set(op::SHF, shf);
  set(op::SGXT, sgxt);
  set(op::BMSK, bmsk);
  set(op::IMAD, imad);
  set(op::IMAD_WIDE, imad_wide);
  set(op::IMAD_HI, imad_wide);
  set(op::IDP, idp);
  set(op::VIADD, viadd);
  set(op::VIADDMNMX, viaddmnmx);
  set(op::VIMNMX, vimnmx);
  set(op::IMNMX, imnmx);
  set(op::MOV_64, mov);
  set(op::IADD_64, iadd_64);
  set(op::SEL_64, sel_64);
  set(op::SEL_64_I, sel_64);
  set(op::VIMNMX3, vimnmx3);
  set(op::FLO, flo);
  set(op::BREV, brev);
  set(op::POPC, popc);
  set(op::I2I, i2i);
  set(op::I2IP, i2ip);
  set(op::P2R, p2r);
  set(op::R2P, r2p);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
