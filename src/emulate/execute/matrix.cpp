// Tensor cores: D = A B + C on fragments that lie spread over the warp.
//
// Lane t holds, in register i of A, the elements of row t / 4 (odd i: plus 8, in shapes with 16 rows) from column
// (i / 2) * 4 E + (t % 4) * E on, where E elements fill a register. B lies the same way by columns. Register i of C and
// D holds element (t / 4 + 8 (i / 2), 2 (t % 4) + i % 2). Found on an H200, shape by shape.
#include <climits>

#include "emulate/execute/tensor_core.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::matrix_product;

// Takes the fragments of A and B apart. `element(word, n)` is element n of a register.
template <class T, class Element>
void gather(worker& m, const matrix_product& f, unsigned per_register, T* a, T* b, Element element) {
  const sass::tensor_shape& s = f.shape;
  const unsigned a_registers = s.k / (4 * per_register) * (s.rows / 8), chunk = 4 * per_register;
  for (unsigned i = 0; i < a_registers; ++i) {
    const u32* word = operand_row(m, f.a, i);
    const unsigned half = s.rows == 16 ? i % 2 : 0, column = (s.rows == 16 ? i / 2 : i) * chunk;
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned n = 0; n < per_register; ++n)
        a[(t / 4 + 8 * half) * most_k + column + t % 4 * per_register + n] = element(word[t], n, false);
  }
  for (unsigned i = 0; i < s.k / chunk; ++i) {
    const u32* word = operand_row(m, f.b, i);
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned n = 0; n < per_register; ++n)
        b[t / 4 * most_k + i * chunk + t % 4 * per_register + n] = element(word[t], n, true);
  }
}

step refuse(worker& m, const char* what) {
  return m.fail(std::string("a matrix instruction ") + what + ", which is not executed yet");
}

// Why a product cannot be executed; null: it can.
const char* cannot(const matrix_product& f) {
  if (f.shape.sparse) return "on a sparse operand";
  if (f.has_predicate) return "with a predicate";
  return f.shape.rows == 0 ? "of an unknown shape" : nullptr;
}

// --- integers and bits

template <class Product>
void multiply_integers(worker& m, const matrix_product& f, const i32* a, const i32* b, Product product, u32 mask) {
  const sass::tensor_shape& s = f.shape;
  u32 r[4][32];
  const unsigned registers = s.rows / 4;
  for (unsigned i = 0; i < registers; ++i) {
    const u32* c = operand_row(m, f.c, i);
    for (unsigned t = 0; t < 32; ++t) {
      const i32 *row = a + (t / 4 + 8 * (i / 2)) * most_k, *column = b + (2 * (t % 4) + i % 2) * most_k;
      i64 sum = static_cast<i32>(c[t]);
      for (unsigned k = 0; k < s.k; ++k) sum += product(row[k], column[k]);
      if (f.saturates) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
      r[i][t] = static_cast<u32>(sum);
    }
  }
  for (unsigned i = 0; i < registers; ++i) store(m.w->reg(written_row(f.result, i)), r[i], mask);
}

step imma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (const char* why = cannot(f)) return refuse(m, why);
  const bool nibbles = f.a_nibbles, a_signed = f.a_signed, b_signed = f.b_signed;
  i32 a[16 * most_k], b[8 * most_k];
  gather(m, f, nibbles ? 8 : 4, a, b, [=](u32 word, unsigned n, bool is_b) {
    const bool is_signed = is_b ? b_signed : a_signed;
    if (nibbles)
      return is_signed ? static_cast<i32>(word << (28 - 4 * n)) >> 28 : static_cast<i32>(word >> 4 * n & 0xf);
    return is_signed ? static_cast<i32>(static_cast<std::int8_t>(word >> 8 * n))
                     : static_cast<i32>(word >> 8 * n & 0xff);
  });
  multiply_integers(
      m, f, a, b, [](i32 x, i32 y) { return static_cast<i64>(x) * y; }, mask);
  return step::next;
}

step bmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (const char* why = cannot(f)) return refuse(m, why);
  const bool differs = f.type == 0;  // .XOR, else .AND
  i32 a[16 * most_k], b[8 * most_k];
  gather(m, f, 32, a, b, [](u32 word, unsigned n, bool) { return static_cast<i32>(word >> n & 1); });
  multiply_integers(
      m, f, a, b, [=](i32 x, i32 y) { return static_cast<i64>(differs ? x ^ y : x & y); }, mask);
  return step::next;
}

// --- floats

step hmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& p = u.as<matrix_product>();
  if (const char* why = cannot(p)) return refuse(m, why);
  const sass::tensor_shape& s = p.shape;
  const bool tf32 = p.type == 2, bf16 = p.type == 1, to_f32 = s.result_bits == 32;
  const bool negate_a = p.negates_a, negate_b = p.negates_b;
  float_fragments f;
  gather(m, p, tf32 ? 1 : 2, f.a, f.b, [=](u32 word, unsigned n, bool is_b) -> double {
    const auto h = static_cast<std::uint16_t>(word >> 16 * n);
    const double d = tf32 ? float_of_bits(word & 0xffffe000u) : bf16 ? float_of_bfloat16(h) : float_of_half(h);
    return (is_b ? negate_b : negate_a) ? -d : d;
  });
  measure(f.a, f.a_exponent, 16, s.k, f.finite);
  measure(f.b, f.b_exponent, 8, s.k, f.finite);
  u32 r[4][32] = {};
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned row = t / 4 + 8 * (i / 2), column = 2 * (t % 4) + i % 2;
      if (to_f32) {
        r[i][t] = cut_to_float(fused_sum(f, row, column, s.k, float_of_bits(operand_row(m, p.c, i)[t])));
      } else {
        const float c = float_of_half(static_cast<std::uint16_t>(operand_row(m, p.c, i / 2)[t] >> 16 * (i % 2)));
        r[i / 2][t] |= static_cast<u32>(half_of_double(fused_sum(f, row, column, s.k, c))) << 16 * (i % 2);
      }
    }
  for (unsigned i = 0; i < s.c_registers(); ++i) store(m.w->reg(written_row(p.result, i)), r[i], mask);
  return step::next;
}

// Doubles, two registers each: one fused multiply-add after another.
step dmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<matrix_product>();
  if (const char* why = cannot(f)) return refuse(m, why);
  const sass::tensor_shape& s = f.shape;
  const auto pair = [&](unsigned first, unsigned n, unsigned t) {
    return join(operand_row(m, first, 2 * n)[t], operand_row(m, first, 2 * n + 1)[t]);
  };
  const auto sign = [](bool negates) { return negates ? u64{1} << 63 : 0; };
  u64 a[16][16], b[8][16];
  for (unsigned i = 0; i < s.k / 4 * (s.rows / 8); ++i)
    for (unsigned t = 0; t < 32; ++t)
      a[t / 4 + (s.rows == 16 ? i % 2 * 8 : 0)][(s.rows == 16 ? i / 2 : i) * 4 + t % 4] =
          pair(f.a, i, t) ^ sign(f.negates_a);
  for (unsigned i = 0; i < s.k / 4; ++i)
    for (unsigned t = 0; t < 32; ++t) b[t / 4][i * 4 + t % 4] = pair(f.b, i, t) ^ sign(f.negates_b);
  const unsigned registers = s.rows / 4;
  u32 low[4][32], high[4][32];
  for (unsigned i = 0; i < registers; ++i)
    for (unsigned t = 0; t < 32; ++t) {
      u64 sum = pair(f.c, i, t) ^ sign(f.negates_c);
      for (unsigned k = 0; k < s.k; ++k) {
        const u64 x = a[t / 4 + 8 * (i / 2)][k], y = b[2 * (t % 4) + i % 2][k];
        const u64 next = bits_of_double(__builtin_fma(double_of_bits(x), double_of_bits(y), double_of_bits(sum)));
        sum = is_nan_64(next) ? nan_of(y, sum, x) : next;
      }
      low[i][t] = static_cast<u32>(sum);
      high[i][t] = static_cast<u32>(sum >> 32);
    }
  for (unsigned i = 0; i < registers; ++i) {
    store(m.w->reg(written_row(f.result, 2 * i)), low[i], mask);
    store(m.w->reg(written_row(f.result, 2 * i + 1)), high[i], mask);
  }
  return step::next;
}

// Transposes an 8 x 8 matrix of halves that lies spread over the warp.
step movm(worker& m, const micro_op& u, u32 mask) {
  if (!u.as<sass::matrix_transpose>().moves_halves) return refuse(m, "that moves bytes");
  const u32* a = m.at(u.a, 0);
  u32 r[32];
  for (unsigned t = 0; t < 32; ++t) {
    r[t] = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned row = 2 * (t % 4) + h, column = t / 4;
      r[t] |= (a[row * 4 + column / 2] >> 16 * (column % 2) & 0xffff) << 16 * h;
    }
  }
  store(m.w->reg(u.d), r, mask);
  return step::next;
}

}  // namespace

void add_matrix(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::HMMA, hmma);
  set(op::IMMA, imma);
  set(op::BMMA, bmma);
  set(op::DMMA, dmma);
  set(op::MOVM, movm);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
