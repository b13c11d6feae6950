// Code for arithmetic of doubles and for conversions of floats to doubles. The two words of a double are in two rows.
// This code needs AVX-512.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate::jit {

// Joins words to doubles for half of the lanes. These lanes are the lower two or the upper two of every four lanes.
void piece_code::join_doubles(const vec& d, const double_operand& o, bool upper) {
  vec high = o.high;
  if (o.keep != ~0u) vpandd(d, high, word_vector(o.keep)), high = d;
  if (o.flip != 0) vpxord(d, high, word_vector(o.flip)), high = d;
  upper ? vpunpckhdq(d, o.low, high) : vpunpckldq(d, o.low, high);
}

bool piece_code::double_arithmetic(const micro_op& u, bool makes) {
  if (!wide_ || u.as<sass::float_arithmetic>().rounding != rounding::nearest_even) return false;
  if (!makes) return true;
  const double_operand none{v(0), v(0)};  // never read
  const bool fused = u.op == opcode::DFMA, product = u.op == opcode::DMUL;
  const double_operand x{read(u.a), read(u.a_high), u.keep_a, u.flip_a};
  const double_operand y = fused || product ? double_operand{read(u.b), read(u.b_high), u.keep_b, u.flip_b} : none;
  const double_operand z = product ? none : double_operand{read(u.c), read(u.c_high), u.keep_c, u.flip_c};
  const unsigned lower = result(), upper = result();
  for (const bool is_upper : {false, true}) {
    const vec d = v(is_upper ? upper : lower);
    join_doubles(scratch(0), x, is_upper);
    if (fused || product) join_doubles(scratch(1), y, is_upper);
    if (fused || !product) join_doubles(fused ? d : scratch(1), z, is_upper);
    if (fused)
      vfmadd231pd(d, scratch(0), scratch(1));
    else
      product ? vmulpd(d, scratch(0), scratch(1)) : vaddpd(d, scratch(0), scratch(1));
  }
  // An operand that is NaN becomes the result, without the sign change of the instruction. The operand that is checked
  // last has priority.
  Xbyak::Label numbers;
  vcmppd(k6, v(lower), v(lower), unordered);
  vcmppd(k7, v(upper), v(upper), unordered);
  kortestb(k6, k7);
  jz(numbers, T_NEAR);
  for (const double_operand* o : {&x, product ? nullptr : &z, fused || product ? &y : nullptr}) {
    if (o == nullptr) continue;
    for (const bool is_upper : {false, true}) {
      join_doubles(scratch(0), {o->low, o->high, ~0u, 0}, is_upper);
      vcmppd(k6, scratch(0), scratch(0), unordered);
      vaddpd(v(is_upper ? upper : lower) | k6, scratch(0), scratch(0));
    }
  }
  L(numbers);
  vshufps(scratch(0), v(lower), v(upper), 0x88);
  vshufps(v(upper), v(lower), v(upper), 0xdd);
  copy(v(lower), scratch(0));
  put(lower, u.d);
  put(upper, u.d_high);
  return true;
}

bool piece_code::widen_float(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::float_conversion>();
  if (!wide_ || f.from != sass::float_format::f32 || f.to != sass::float_format::f64 || f.flushes) return false;
  if (!makes) return true;
  vec x = read(u.b);
  if (u.keep_b != ~0u) vpandd(scratch(0), x, word_vector(u.keep_b)), x = scratch(0);
  if (u.flip_b != 0) vpxord(scratch(0), x, word_vector(u.flip_b)), x = scratch(0);
  const unsigned low = result(), high = result();
  const Xbyak::Zmm first(scratch(1).getIdx()), second(scratch(2).getIdx());
  const Xbyak::Ymm first_half(scratch(1).getIdx()), second_half(scratch(2).getIdx());
  vextractf64x4(second_half, Xbyak::Zmm(x.getIdx()), 1);
  vcvtps2pd(first, Xbyak::Ymm(x.getIdx()));
  vcvtps2pd(second, second_half);
  const auto words = [&](unsigned h) {
    vpmovqd(Xbyak::Ymm(v(h).getIdx()), first);
    vpmovqd(Xbyak::Ymm(scratch(3).getIdx()), second);
    vinserti64x4(Xbyak::Zmm(v(h).getIdx()), Xbyak::Zmm(v(h).getIdx()), Xbyak::Ymm(scratch(3).getIdx()), 1);
  };
  words(low);
  vpsrlq(first, first, 32);
  vpsrlq(second, second, 32);
  words(high);
  put(low, u.d);
  put(high, u.d_high);
  return true;
}

}  // namespace bankwise::emulate::jit
#endif
