// Bitwise functions, shifts, permutations, counts of bits, and copies of predicates to the bits of a register.
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

step prmt(worker& m, const micro_op& u, u32 mask) {
  const sass::permute_mode mode = u.as<sass::byte_permute>().mode;
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) { return permute(a, b, c, mode); });
  return step::next;
}

// The predicate result is true if any bit is set or the predicate operand is true. With .PAND, both conditions must be
// true.
step lop3(worker& m, const micro_op& u, u32 mask) {
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
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
      // To avoid branches, each bit of the table becomes a mask of 32 equal bits.
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

// Shifts {c, a} by b (funnel shift).
step shf(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::funnel_shift>();
  const bool wide = f.wide(), is_signed = f.is_signed(), right = f.right, wrap = f.wraps, high = f.high;
  if (!right && !high) {
    const u32 most = wide ? 63 : 31;
    map2(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), mask, [=](u32 a, u32 b) {
      const u32 n = wrap ? b & most : b;
      return n > 31 ? 0 : a << (n & 31);
    });
    return step::next;
  }
  if (right && high && !wide) {
    const u32 *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
    u32* d = m.w->reg(u.d);
    if (is_signed)
      map2(d, b, c, mask,
           [=](u32 n, u32 x) { return static_cast<u32>(static_cast<i32>(x) >> (wrap || n < 31 ? n & 31 : 31)); });
    else
      map2(d, b, c, mask, [=](u32 n, u32 x) { return wrap || n < 32 ? x >> (n & 31) : 0; });
    return step::next;
  }
  const u32 bits = wide ? 64 : 32;
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) {
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

// Keeps the lowest b bits of a, and fills the upper bits with zeros or with copies of the highest kept bit. If the
// instruction wraps, b is taken modulo 32.
step sgxt(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bit_range>();
  const bool is_signed = f.is_signed, wrap = f.wraps;
  map2(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), mask, [=](u32 a, u32 b) -> u32 {
    const u32 n = wrap ? b & 31 : b;
    if (n >= 32) return a;
    if (n == 0) return 0;
    const u32 kept = a & ((1u << n) - 1);
    return is_signed && (kept >> (n - 1) & 1) != 0 ? kept | ~0u << n : kept;
  });
  return step::next;
}

// Returns a mask of b bits that begins at bit a. If the instruction wraps, a and b are taken modulo 32.
step bmsk(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bit_range>();
  const bool wrap = f.wraps;
  map2(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), mask, [=](u32 a, u32 b) -> u32 {
    const u32 at = wrap ? a & 31 : a, n = wrap ? b & 31 : b;
    if (at >= 32) return 0;
    return (n >= 32 ? ~0u : (1u << n) - 1) << at;
  });
  return step::next;
}

// Returns the position of the highest set bit. For a negative signed number, returns the position of the highest zero
// bit. With .SH, positions are counted down from bit 31.
step flo(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::leading_bit>();
  const u32 flip = u.flip_b;
  const bool is_signed = f.is_signed, shift = f.as_shift;
  u32 found = 0;
  const u32* b = m.operand_row(u.b, 1);
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

step brev(worker& m, const micro_op& u, u32 mask) {
  map1(m.w->reg(u.d), m.operand_row(u.b, 1), mask, reverse_bits);
  return step::next;
}

step popc(worker& m, const micro_op& u, u32 mask) {
  const u32 flip = u.flip_b;
  map1(m.w->reg(u.d), m.operand_row(u.b, 1), mask, [=](u32 b) { return static_cast<u32>(std::popcount(b ^ flip)); });
  return step::next;
}

// Copies predicates to the bits of one byte of a register, and copies these bits to predicates.
step p2r(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_byte>();
  const unsigned shift = 8u * f.byte;
  const u32 chosen = f.mask << shift;
  const u32* a = m.operand_row(u.a, 0);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 bits = 0;
    for (unsigned p = 0; p < 7; ++p) bits |= (m.w->predicates[p] >> i & 1) << p;
    r[i] = (a[i] & ~chosen) | (bits << shift & chosen);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step r2p(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::predicate_byte>();
  const u32* a = m.operand_row(u.a, 0);
  for (unsigned p = 0; p < 7; ++p) {
    if ((f.mask >> p & 1) == 0) continue;
    u32 lanes = 0;
    for (int i = 0; i < 32; ++i) lanes |= (a[i] >> (8u * f.byte + p) & 1) << i;
    m.set_predicate(p, lanes, mask);
  }
  return step::next;
}

}  // namespace

void add_bits(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::PRMT, prmt);
  set(op::LOP3, lop3);
  set(op::SHF, shf);
  set(op::SGXT, sgxt);
  set(op::BMSK, bmsk);
  set(op::FLO, flo);
  set(op::BREV, brev);
  set(op::POPC, popc);
  set(op::P2R, p2r);
  set(op::R2P, r2p);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
