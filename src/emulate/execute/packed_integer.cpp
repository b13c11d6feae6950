// Operations on the bytes and halves of a word: sums, differences, dot products, minima, maxima, saturation.
#include <algorithm>

#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Computes |a - b| + c.
step vabsdiff(worker& m, const micro_op& u, u32 mask) {
  const bool is_signed = u.as<sass::difference>().is_signed;
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) {
         const bool less = is_signed ? static_cast<i32>(a) < static_cast<i32>(b) : a < b;
         return (less ? b - a : a - b) + c;
       });
  return step::next;
}

// Computes the absolute differences of four bytes. With .ACC, returns c plus the sum of these differences.
step vabsdiff4(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::difference>();
  const bool is_signed = f.is_signed, accumulate = f.accumulates;
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) {
         u32 sum = c, bytes = 0;  // without .ACC, c is not used
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

// Computes dot products: of four bytes with four bytes, or of two halves with two bytes.
step idp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::dot_product>();
  const sass::dot_parts parts = f.parts;
  const bool sa = f.a_signed, sb = f.b_signed;
  const u32 fc = u.flip_c;
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) {
         const auto byte = [](u32 x, unsigned k, bool s) {
           return s ? static_cast<i32>(static_cast<std::int8_t>(x >> 8 * k)) : static_cast<i32>(x >> 8 * k & 0xff);
         };
         const auto half = [](u32 x, unsigned k, bool s) {
           return s ? static_cast<i32>(static_cast<std::int16_t>(x >> 16 * k)) : static_cast<i32>(x >> 16 * k & 0xffff);
         };
         i64 sum = static_cast<i32>((c ^ fc) + (fc & 1));
         if (parts == sass::dot_parts::bytes) {
           for (unsigned k = 0; k < 4; ++k) sum += static_cast<i64>(byte(a, k, sa)) * byte(b, k, sb);
         } else {
           const unsigned first = parts == sass::dot_parts::halves_by_upper_bytes ? 2 : 0;
           for (unsigned k = 0; k < 2; ++k) sum += static_cast<i64>(half(a, k, sa)) * byte(b, k + first, sb);
         }
         return static_cast<u32>(sum);
       });
  return step::next;
}

// Adds words, halves or bytes. The sum may saturate.
step viadd(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::packed_add>();
  const u32 fa = u.flip_a, fb = u.flip_b, both = (fa & 1) + (fb & 1);
  const unsigned width = f.type == sass::sum_type::u8x4 ? 8 : f.type == sass::sum_type::u16x2 ? 16 : 32;
  const bool saturates = f.saturates;
  map2(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), mask, [=](u32 a, u32 b) {
    if (saturates) {
      const i64 x = static_cast<i32>(a), y = static_cast<i32>(b);
      return static_cast<u32>(std::clamp<i64>((fa != 0 ? -x : x) + (fb != 0 ? -y : y), INT32_MIN, INT32_MAX));
    }
    // Each half or byte has its own sign.
    const u32 x = a ^ fa, y = b ^ fb;
    u32 r = 0;
    for (unsigned n = 0; n < 32; n += width) r |= ((x >> n) + (y >> n) + both) << (32 - width) >> (32 - width) << n;
    return r;
  });
  return step::next;
}

u32 pick(u32 a, u32 b, sass::extreme_type type, bool minimum, bool relu) {
  const auto one = [&](i64 x, i64 y) {
    i64 r = (x < y) == minimum ? x : y;
    if (relu && r < 0) r = 0;
    return r;
  };
  switch (type) {
    case sass::extreme_type::u32: return static_cast<u32>(one(a, b));
    case sass::extreme_type::s32: return static_cast<u32>(one(static_cast<i32>(a), static_cast<i32>(b)));
    case sass::extreme_type::u16x2:
      return (static_cast<u32>(one(a & 0xffff, b & 0xffff)) & 0xffff) | static_cast<u32>(one(a >> 16, b >> 16)) << 16;
    case sass::extreme_type::u8x4: {
      u32 r = 0;
      for (unsigned n = 0; n < 32; n += 8) r |= static_cast<u32>(one(a >> n & 0xff, b >> n & 0xff)) << n;
      return r;
    }
    case sass::extreme_type::s16x2: break;
  }
  return (static_cast<u32>(one(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b))) & 0xffff) |
         static_cast<u32>(one(static_cast<std::int16_t>(a >> 16), static_cast<std::int16_t>(b >> 16))) << 16;
}

// Returns the smaller operand if the predicate is true, otherwise the larger operand.
step vimnmx(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  if (f.type == sass::extreme_type::s32 && !f.relu && (minimum == 0 || minimum == all_lanes)) {
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

step imnmx(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  if (!f.wide) return vimnmx(m, u, mask);
  const u32 *a = m.operand_row(u.a, 0), *ah = m.operand_row(u.a_high, 1), *b = m.operand_row(u.b, 2),
            *bh = m.operand_row(u.b_high, 3);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  const u64 sign = f.type == sass::extreme_type::s32 ? u64{1} << 63 : 0;
  alignas(32) u32 low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    const u64 x = join(a[i], ah[i]), y = join(b[i], bh[i]);
    const bool takes_x = ((x ^ sign) < (y ^ sign)) == ((minimum & lane_bit[i]) != 0);
    low[i] = takes_x ? a[i] : b[i];
    high[i] = takes_x ? ah[i] : bh[i];
  }
  store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

step viaddmnmx(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    u32 sum = a[i] + (b[i] ^ u.flip_b) + (u.flip_b & 1);
    if (f.type >= sass::extreme_type::u16x2) sum = ((a[i] + b[i]) & 0xffff) | ((a[i] >> 16) + (b[i] >> 16)) << 16;
    r[i] = pick(sum, c[i], f.type, (minimum >> i & 1) != 0, f.relu);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

step vimnmx3(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::integer_extreme>();
  const u32 *a = m.operand_row(u.a, 0), *b = m.operand_row(u.b, 1), *c = m.operand_row(u.c, 2);
  const u32 minimum = m.predicate(u.q0, u.q0_flip);
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) {
    const bool low = (minimum >> i & 1) != 0;
    r[i] = pick(pick(a[i], b[i], f.type, low, false), c[i], f.type, low, f.relu);
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

// Clamps a signed word to a narrow integer.
i32 saturate(i32 x, sass::narrow_integer to) {
  const unsigned bits = sass::bits_of(to) - (sass::is_signed(to) ? 1 : 0);
  const i32 most = (i32{1} << bits) - 1;
  return std::clamp(x, sass::is_signed(to) ? -most - 1 : 0, most);
}

step i2i(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::narrowing>();
  const sass::narrow_integer to = f.to;
  map1(m.w->reg(u.d), m.operand_row(u.b, 1), mask,
       [=](u32 b) { return static_cast<u32>(saturate(static_cast<i32>(b), to)); });
  return step::next;
}

// Packs two clamped words. The upper bits of the result come from c.
step i2ip(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::narrowing>();
  const sass::narrow_integer to = f.to;
  const unsigned width = sass::bits_of(to);
  map3(m.w->reg(u.d), m.operand_row(u.a, 0), m.operand_row(u.b, 1), m.operand_row(u.c, 2), mask,
       [=](u32 a, u32 b, u32 c) {
         const u32 low_mask = (1u << width) - 1;
         const u32 x = static_cast<u32>(saturate(static_cast<i32>(a), to)) & low_mask;
         const u32 y = static_cast<u32>(saturate(static_cast<i32>(b), to)) & low_mask;
         const u32 pair = x << width | y;
         return width == 16 ? pair : pair | c << (2 * width);
       });
  return step::next;
}

}  // namespace

void add_packed_integer(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::VABSDIFF, vabsdiff);
  set(op::VABSDIFF4, vabsdiff4);
  set(op::IDP, idp);
  set(op::VIADD, viadd);
  set(op::VIADDMNMX, viaddmnmx);
  set(op::VIMNMX, vimnmx);
  set(op::IMNMX, imnmx);
  set(op::VIMNMX3, vimnmx3);
  set(op::I2I, i2i);
  set(op::I2IP, i2ip);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
