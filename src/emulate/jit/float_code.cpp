// Code for arithmetic and comparisons of floats.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate::jit {

piece_code::vec piece_code::float_operand(const source& s, u32 keep, u32 flip, bool flush, unsigned n) {
  vec x = read_float(s);
  if (keep != ~0u) and_words(scratch(n), x, word_vector(keep)), x = scratch(n);
  if (flip != 0) xor_words(scratch(n), x, word_vector(flip)), x = scratch(n);
  if (flush) {
    copy(scratch(n), x);
    x = scratch(n);
    flush_zeros(x, x);
  }
  return x;
}

void piece_code::flush_zeros(const vec& x, const vec& tiny) {
  vptestnmd(k6, tiny, word_vector(0x7f800000u));
  vpandd(x | k6, x, word_vector(0x80000000u));
}

bool piece_code::float_arithmetic(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::float_arithmetic>();
  if (f.rounding != rounding::nearest_even || f.zero_wins || (f.flushes && !wide_)) return false;
  if (u.op == opcode::FMUL && f.scale != sass::product_scale::one) return false;
  if (!makes) return true;
  // If possible, the operation itself applies the sign of an operand. Other signs are applied with xor.
  const bool fused = u.op == opcode::FFMA, product = u.op != opcode::FADD;
  bool negate = false, subtract = false;  // signs of the product and of the addend
  u32 fa = u.flip_a, fb = u.flip_b, fc = u.flip_c;
  if (fused) {
    negate = (fa != 0) != (fb != 0), subtract = fc != 0;
    fa = fb = fc = 0;
  } else if (!product) {
    subtract = fb != 0;
    fb = 0;
  } else if (fa != 0 && fb != 0) {
    fa = fb = 0;
  }
  const vec x = float_operand(u.a, u.keep_a, fa, f.flushes, 0), y = float_operand(u.b, u.keep_b, fb, f.flushes, 1);
  const bool adds_in_place = fused && !masked_ && u.c.kind == source_kind::reg && u.c.index == u.d && u.d < zero_row &&
                             u.keep_c == ~0u && !f.flushes && !f.saturates;
  if (adds_in_place) {
    const unsigned h = load(key_of_row(u.d));
    multiply_add(v(h), x, y, negate, subtract);
    homes_[h].dirty = homes_[h].loose = true;
    return true;
  }
  vec z = x;
  if (fused) z = float_operand(u.c, u.keep_c, fc, f.flushes, 2);
  const unsigned h = result();
  const vec d = v(h);
  const auto operate = [&](const vec& to, const vec& how) {
    if (fused) {
      copy(to, z);
      f.flushes&& to.getIdx() == scratch(3).getIdx() ? multiply_add_cut(to, x, y, negate, subtract)
                                                     : multiply_add(to, x, y, negate, subtract);
    } else if (product) {
      vmulps(how, x, y);
    } else {
      subtract ? vsubps(how, x, y) : vaddps(how, x, y);
    }
  };
  operate(d, d);
  if (f.flushes) {
    // A value that is subnormal before rounding is flushed. To detect subnormal values, the operation is also executed
    // with rounding toward zero.
    operate(scratch(3), scratch(3) | T_rz_sae);
    canonicalise(d);
    flush_zeros(d, scratch(3));
  }
  if (f.saturates) {
    // NaN and -0 become +0. vmaxps and vminps return their second operand if both operands are zeros or if one operand
    // is NaN.
    vmaxps(d, d, word_vector(0));
    vminps(d, d, word_vector(0x3f800000u));
  }
  put(h, u.d, !f.flushes && !f.saturates);
  return true;
}

void piece_code::multiply_add(const vec& d, const vec& x, const vec& y, bool negate, bool subtract) {
  if (negate)
    subtract ? vfnmsub231ps(d, x, y) : vfnmadd231ps(d, x, y);
  else
    subtract ? vfmsub231ps(d, x, y) : vfmadd231ps(d, x, y);
}

void piece_code::multiply_add_cut(const vec& d, const vec& x, const vec& y, bool negate, bool subtract) {
  if (negate)
    subtract ? vfnmsub231ps(d | T_rz_sae, x, y) : vfnmadd231ps(d | T_rz_sae, x, y);
  else
    subtract ? vfmsub231ps(d | T_rz_sae, x, y) : vfmadd231ps(d | T_rz_sae, x, y);
}

bool piece_code::fsetp(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::float_comparison>();
  if (f.flushes && !wide_) return false;
  if (!makes) return true;
  const vec x = float_operand(u.a, u.keep_a, u.flip_a, f.flushes, 0),
            y = float_operand(u.b, u.keep_b, u.flip_b, f.flushes, 1);
  // AVX comparison codes, in the order of float_relation.
  static constexpr u8 how[] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                               0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
  const u8 code = how[static_cast<unsigned>(f.relation) & 15];
  if (wide_) {
    vcmpps(k6, x, y, code);
    bits_of(k6);
  } else {
    vcmpps(scratch(3), x, y, code);
    bits_of(scratch(3));
  }
  put_comparison(u, f.combine);
  return true;
}

bool piece_code::fsel(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::float_extreme>();
  if (f.flushes && !wide_) return false;
  if (!makes) return true;
  const auto operand = [&](const source& s, u32 keep, u32 flip, unsigned n) {
    read(s);
    return float_operand(s, keep, flip, false, n);
  };
  const vec x = operand(u.a, u.keep_a, u.flip_a, 0), y = operand(u.b, u.keep_b, u.flip_b, 1);
  load_predicate(edx, u.q0, u.q0_flip);
  const unsigned h = result();
  blend(v(h), y, x, edx);
  if (f.flushes) flush_zeros(v(h), v(h));
  put(h, u.d);
  return true;
}

}  // namespace bankwise::emulate::jit
#endif
