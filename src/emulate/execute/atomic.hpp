// The result of an atomic or reduction, from the old value and the operand.
#pragma once

#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"
#include "emulate/memory/atomic_operation.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

template <class U, class S>
static inline U combined(atomic_op op, U old, U x, bool is_signed) {
  const bool less = is_signed ? static_cast<S>(x) < static_cast<S>(old) : x < old;
  switch (op) {
    case atomic_op::add: return static_cast<U>(old + x);
    case atomic_op::minimum: return less ? x : old;
    case atomic_op::maximum: return less ? old : x;
    case atomic_op::increment: return old >= x ? 0 : static_cast<U>(old + 1);
    case atomic_op::decrement: return old == 0 || old > x ? x : static_cast<U>(old - 1);
    case atomic_op::conjunction: return old & x;
    case atomic_op::disjunction: return old | x;
    case atomic_op::exclusive: return old ^ x;
    case atomic_op::exchange: return x;
    case atomic_op::safe_add: break;
  }
  return static_cast<U>(old + x) < old ? ~U{0} : static_cast<U>(old + x);
}

static inline float flushed(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }
static inline u32 float_bits(float f) { return f == f ? bits_of_float(f) : 0x7fffffffu; }

// Combines the two halves of `old` with the two halves of `x`. The result consists of two sums, minima or maxima.
static inline u32 halves_of(u32 old, u32 x, atomic_op op, bool bf16) {
  u32 r = 0;
  for (unsigned h = 0; h < 32; h += 16) {
    const auto p = static_cast<std::uint16_t>(old >> h), q = static_cast<std::uint16_t>(x >> h);
    const double a = bf16 ? float_of_bfloat16(p) : float_of_half(p), b = bf16 ? float_of_bfloat16(q) : float_of_half(q);
    const bool a_below = a < b || (a == b && std::signbit(a));
    double v = a + b;
    if (op != atomic_op::add) v = std::isnan(a) ? b : std::isnan(b) ? a : a_below == (op == atomic_op::minimum) ? a : b;
    r |= static_cast<u32>(std::isnan(v) ? 0x7fff : bf16 ? bfloat16_of_double(v) : half_of_double(v)) << h;
  }
  return r;
}

static inline u32 float_combined(sass::atomic_float type, atomic_op op, u32 old, u32 x) {
  using sass::atomic_float;
  if (type <= atomic_float::bf16x8) return halves_of(old, x, op, type >= atomic_float::bf16x2);
  const float a = float_of_bits(old), b = float_of_bits(x);
  return float_bits(type <= atomic_float::f32x4_ftz ? flushed(flushed(a) + flushed(b)) : a + b);
}
static inline u64 double_sum(u64 old, u64 x) {
  const double d = double_of_bits(old) + double_of_bits(x);
  return d == d ? bits_of_double(d) : is_nan_64(x) ? x : is_nan_64(old) ? old : bits_of_double(d);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
