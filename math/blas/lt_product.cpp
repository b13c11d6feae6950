#include "math/blas/lt_product.hpp"

#include <algorithm>
#include <vector>

namespace bankwise::math {

namespace {

enum order : int { by_columns, by_rows };
enum scale_mode : int { one_number = 0, each_row = 3 };                                  // cublasLtMatmulMatrixScale_t
constexpr int alpha_vector = 2, alpha_vector_beta_zero = 3, alpha_vector_beta_host = 4;  // cublasLtPointerMode_t

index_t rows_of(const lt_layout& l) { return static_cast<index_t>(l.rows); }
index_t columns_of(const lt_layout& l) { return static_cast<index_t>(l.columns); }

// Returns the number of elements from the first to the last element of a matrix, including gaps.
index_t elements_in(const lt_layout& l) {
  return l.order == by_columns ? elements_of(rows_of(l), columns_of(l), l.lead)
                               : elements_of(columns_of(l), rows_of(l), l.lead);
}
index_t bytes_of_all(const lt_layout& l) {
  const index_t one = elements_in(l);
  return one == 0 ? 0 : ((l.batch - 1) * l.stride + one) * bytes_of(l.type);
}
index_t place_in(const lt_layout& l, index_t i, index_t j) {
  return l.order == by_columns ? j * l.lead + i : i * l.lead + j;
}

bool is_known(const lt_layout& l) {
  return bytes_of(l.type) != 0 && (l.order == by_columns || l.order == by_rows) && l.batch_mode == 0 && l.plane == 0;
}
bool is_sound(const lt_layout& l) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  return l.rows <= most && l.columns <= most && l.batch >= 1 && l.stride >= 0 &&
         l.lead >= std::max<index_t>(1, l.order == by_columns ? rows_of(l) : columns_of(l));
}

index_t depth_of(const lt_matmul& d, const lt_layout& a) { return d.of_a == as_it_is ? columns_of(a) : rows_of(a); }

bool is_eight_bit_float(int type) { return type == e4m3 || type == e5m2; }

int bias_type_of(const lt_matmul& d, const lt_layout& a, const lt_layout& to) {
  if (d.bias_type >= 0) return d.bias_type;
  if (to.type == i8) return d.scale;
  if (is_eight_bit_float(to.type) || (is_eight_bit_float(a.type) && to.type == f32)) return bf16;
  return to.type;
}
int aux_type_of(const lt_matmul& d, const lt_layout& to) { return d.aux_type >= 0 ? d.aux_type : to.type; }

// Returns the operation that a matrix needs if its memory is interpreted as stored by columns.
operation seen_as(int o, const lt_layout& l) {
  if (l.order == by_columns) return static_cast<operation>(o);
  return o == as_it_is ? transposed : o == transposed ? as_it_is : conjugate;
}

double gelu_of(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
double gelu_slope(double x) {
  const double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x), t = std::tanh(inner);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

struct described_product {
  lt_matmul d;
  lt_layout of_a, of_b, of_c, of_to;
  index_t m, n, k;
  any_scalar alpha, beta;
  place<const std::byte> alphas, betas;  // factors, one for each row
  place<const std::byte> a, b, c, a_scale, b_scale, c_scale, d_scale, aux_scale;
  place<std::byte> to, bias, aux, most, aux_most;
};

float factor_at(const place<const std::byte>& p, const view& v) { return p.bytes != 0 ? load<float>(p.at(v)) : 1.0f; }

template <class T>
void compute_one(const described_product& p, const view& v, index_t batch, double& most, double& aux_most) {
  const lt_matmul& d = p.d;
  const index_t m = p.m, n = p.n, k = p.k;
  const auto from = [&](const place<const std::byte>& all, const lt_layout& l) {
    return all.at(v) + batch * l.stride * bytes_of(l.type);
  };
  std::vector<T> sums(static_cast<std::size_t>(m * n));
  product_shape shape{seen_as(d.of_a, p.of_a),
                      seen_as(d.of_b, p.of_b),
                      m,
                      n,
                      k,
                      p.of_a.type,
                      p.of_b.type,
                      type_of(T()),
                      p.of_a.lead,
                      p.of_b.lead,
                      m,
                      d.computed};
  if (k > 0)
    multiply_bytes(shape, 1.0, from(p.a, p.of_a), from(p.b, p.of_b), 0.0, reinterpret_cast<std::byte*>(sums.data()));
  const bool a_rows = d.modes[0] == each_row && p.a_scale.bytes != 0,
             b_rows = d.modes[1] == each_row && p.b_scale.bytes != 0;
  const double factor = (a_rows ? 1.0 : factor_at(p.a_scale, v)) * (b_rows ? 1.0 : factor_at(p.b_scale, v)),
               keep = factor_at(p.c_scale, v), last = factor_at(p.d_scale, v), aux_factor = factor_at(p.aux_scale, v);
  const cdouble alpha = p.alpha.at(v), beta = p.beta.at(v);
  const int bias_type = bias_type_of(d, p.of_a, p.of_to), aux_type = aux_type_of(d, p.of_to);
  std::byte* const bias = p.bias.bytes == 0 ? nullptr : p.bias.at(v) + batch * d.bias_stride * bytes_of(bias_type);
  std::byte* const to = p.to.at(v) + batch * p.of_to.stride * bytes_of(p.of_to.type);
  const bool bits = (d.epilogue & (relu | relu_gradient)) != 0;
  std::byte* const aux = p.aux.bytes == 0 ? nullptr
                         : bits           ? p.aux.at(v) + batch * d.aux_stride / 8
                                          : p.aux.at(v) + batch * d.aux_stride * bytes_of(aux_type);
  std::vector<double> gradient(static_cast<std::size_t>((d.epilogue & bias_gradient) != 0 ? m : 0));
  const std::byte* const c = p.c.bytes == 0 ? nullptr : from(p.c, p.of_c);
  const index_t scale_bytes = bytes_of(d.scale);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      using W = std::conditional_t<std::is_same_v<T, float>, float, wide<T>>;
      const auto narrow = [](cdouble z) {
        if constexpr (std::is_same_v<W, cdouble>)
          return z;
        else
          return static_cast<W>(z.real());
      };
      cdouble by = alpha * factor, plus = beta * keep;
      if (p.alphas.bytes != 0)
        by = factor * number_of<cdouble>(p.alphas.at(v) + (batch * d.alpha_stride + i) * scale_bytes, d.scale);
      if (p.betas.bytes != 0) plus = keep * number_of<cdouble>(p.betas.at(v) + i * scale_bytes, d.scale);
      if (a_rows) by *= load<float>(p.a_scale.at(v) + i * 4);
      if (b_rows) by *= load<float>(p.b_scale.at(v) + j * 4);
      W x = narrow(by) * W(sums[j * m + i]);
      if (c != nullptr && plus != 0.0)
        x += narrow(plus) * number_of<W>(c + place_in(p.of_c, i, j) * bytes_of(p.of_c.type), p.of_c.type);
      if constexpr (!std::is_same_v<W, cdouble>) {
        if ((d.epilogue & add_bias) != 0) x += number_of<W>(bias + i * bytes_of(bias_type), bias_type);
        if ((d.epilogue & relu) != 0) {
          if (aux != nullptr) {
            std::byte& word = aux[(j * d.aux_lead + i) / 8];
            const std::byte bit{static_cast<unsigned char>(1u << (i % 8))};
            word = x > 0 ? word | bit : word & ~bit;
          }
          x = x > 0 ? x : W(0);
        } else if ((d.epilogue & gelu) != 0) {
          if (aux != nullptr) {
            aux_most = std::max(aux_most, std::fabs(static_cast<double>(x)));
            put_number<W>(aux + (j * d.aux_lead + i) * bytes_of(aux_type), aux_type,
                          static_cast<W>(static_cast<double>(x) * aux_factor));
          }
          x = static_cast<W>(gelu_of(static_cast<double>(x)));
        } else if ((d.epilogue & relu_gradient) != 0 && aux != nullptr) {
          if ((static_cast<unsigned>(aux[(j * d.aux_lead + i) / 8]) >> (i % 8) & 1) == 0) x = 0;
        } else if ((d.epilogue & gelu_gradient) != 0 && aux != nullptr) {
          const double at = number_of<double>(aux + (j * d.aux_lead + i) * bytes_of(aux_type), aux_type) * aux_factor;
          x = static_cast<W>(static_cast<double>(x) * gelu_slope(at));
        }
        if (!gradient.empty()) gradient[i] += static_cast<double>(x);
        most = std::max(most, std::fabs(static_cast<double>(x)));
      }
      put_number<W>(to + place_in(p.of_to, i, j) * bytes_of(p.of_to.type), p.of_to.type, x * narrow(last));
    }
  for (index_t i = 0; i < static_cast<index_t>(gradient.size()); ++i)
    put_number<double>(bias + i * bytes_of(bias_type), bias_type, gradient[i]);
  // Sums each row of op(a), or each column of op(b).
  const auto sum_up = [&](const std::byte* data, const lt_layout& l, int o, index_t count, bool of_rows) {
    for (index_t i = 0; i < count; ++i) {
      double sum = 0;
      for (index_t q = 0; q < k; ++q) {
        const bool turned = (o != as_it_is) == of_rows;
        sum += number_of<double>(data + place_in(l, turned ? q : i, turned ? i : q) * bytes_of(l.type), l.type);
      }
      put_number<double>(bias + i * bytes_of(bias_type), bias_type, sum);
    }
  };
  if ((d.epilogue & bias_gradient_a) != 0) sum_up(from(p.a, p.of_a), p.of_a, d.of_a, m, true);
  if ((d.epilogue & bias_gradient_b) != 0) sum_up(from(p.b, p.of_b), p.of_b, d.of_b, n, false);
}

}  // namespace

status check(const lt_matmul& d, const lt_layout& a, const lt_layout& b, const lt_layout& c, const lt_layout& to) {
  for (const lt_layout* l : {&a, &b, &c, &to}) {
    if (!is_known(*l)) return not_supported;
    if (!is_sound(*l)) return invalid_value;
  }
  if (d.of_a < as_it_is || d.of_a > adjoint || d.of_b < as_it_is || d.of_b > adjoint || d.pointers < 0 ||
      d.pointers > alpha_vector_beta_host)
    return invalid_value;
  if (d.of_c != as_it_is || d.part != full_matrix || bytes_of(d.scale) == 0) return not_supported;
  const index_t m = rows_of(to), n = columns_of(to), k = depth_of(d, a);
  if ((d.of_a == as_it_is ? rows_of(a) : columns_of(a)) != m ||
      (d.of_b == as_it_is ? rows_of(b) : columns_of(b)) != k ||
      (d.of_b == as_it_is ? columns_of(b) : rows_of(b)) != n || rows_of(c) != m || columns_of(c) != n)
    return invalid_value;
  for (const lt_layout* l : {&a, &b, &c})
    if (l->batch != to.batch) return invalid_value;
  const bool complex = is_complex(to.type);
  if (is_complex(a.type) != complex || is_complex(b.type) != complex || is_complex(c.type) != complex)
    return not_supported;
  product_shape shape;
  shape.c_type = to.type;
  shape.computed_in = d.computed;
  if (scale_type(shape) < 0) return not_supported;
  if (complex && d.epilogue != 1) return not_supported;
  for (const auto mode : d.modes)
    if (mode != one_number && mode != each_row) return not_supported;
  if (d.modes[2] != one_number || d.modes[3] != one_number || d.modes[4] != one_number) return not_supported;
  if ((d.epilogue & (auxiliary | relu_gradient | gelu_gradient)) != 0 && d.aux_lead < m && d.aux != 0)
    return invalid_value;
  return success;
}

status multiply_described(routine& r, const lt_matmul& d, const void* alpha, const void* a, const lt_layout& of_a,
                          const void* b, const lt_layout& of_b, const void* beta, const void* c, const lt_layout& of_c,
                          void* to, const lt_layout& of_to) {
  if (const status s = check(d, of_a, of_b, of_c, of_to); s != success) return s;
  described_product p{};
  p.d = d;
  p.of_a = of_a;
  p.of_b = of_b;
  p.of_c = of_c;
  p.of_to = of_to;
  p.m = rows_of(of_to);
  p.n = columns_of(of_to);
  p.k = depth_of(d, of_a);
  if (p.m == 0 || p.n == 0) return success;
  r.by_blas();
  const index_t batch = of_to.batch, scale_bytes = bytes_of(d.scale);
  product_shape shape;
  shape.m = p.m, shape.n = p.n, shape.k = p.k;
  shape.a_type = of_a.type, shape.computed_in = d.computed;
  r.work(gpu_work(shape, batch));
  const auto reads = [&](std::uint64_t address, index_t bytes) {
    return address == 0 ? place<const std::byte>() : r.reads_bytes(reinterpret_cast<const void*>(address), bytes);
  };
  bool uses_c = true;
  if (d.pointers >= alpha_vector) {
    p.alphas = r.reads_bytes(alpha, ((batch - 1) * d.alpha_stride + p.m) * scale_bytes);
    if (d.pointers == alpha_vector) p.betas = r.reads_bytes(beta, p.m * scale_bytes);
    if (d.pointers == alpha_vector_beta_zero) uses_c = false;
    if (d.pointers == alpha_vector_beta_host && beta != nullptr) {
      p.beta = {number_of<cdouble>(static_cast<const std::byte*>(beta), d.scale), d.scale, {}};
      uses_c = p.beta.value != 0.0;
    }
  } else {
    p.alpha = parameter_of(r, alpha, d.scale);
    p.beta = parameter_of(r, beta, d.scale);
    uses_c = p.beta.later.bytes != 0 || p.beta.value != 0.0;
  }
  p.a = r.reads_bytes(a, p.k == 0 ? 0 : bytes_of_all(of_a));
  p.b = r.reads_bytes(b, p.k == 0 ? 0 : bytes_of_all(of_b));
  if (uses_c) p.c = r.reads_bytes(c, bytes_of_all(of_c));
  p.to = r.writes_bytes(to, bytes_of_all(of_to));
  p.a_scale = reads(d.a_scale, d.modes[0] == each_row ? p.m * 4 : 4);
  p.b_scale = reads(d.b_scale, d.modes[1] == each_row ? p.n * 4 : 4);
  p.c_scale = reads(d.c_scale, 4);
  p.d_scale = reads(d.d_scale, 4);
  p.aux_scale = reads(d.aux_scale, 4);
  const auto writes = [&](std::uint64_t address, index_t bytes) {
    return address == 0 ? place<std::byte>() : r.writes_bytes(reinterpret_cast<void*>(address), bytes);
  };
  p.most = writes(d.d_most, 4);
  p.aux_most = writes(d.aux_most, 4);
  constexpr int biases = add_bias | bias_gradient | bias_gradient_a | bias_gradient_b;
  if ((d.epilogue & biases) != 0) {
    if (d.bias == 0) return invalid_value;
    const index_t length = (d.epilogue & bias_gradient_b) != 0 ? p.n : p.m;
    p.bias = writes(d.bias, ((batch - 1) * d.bias_stride + length) * bytes_of(bias_type_of(d, of_a, of_to)));
  }
  if ((d.epilogue & auxiliary) != 0) {
    if (d.aux == 0) return invalid_value;
    const bool bits = (d.epilogue & (relu | relu_gradient)) != 0;
    const index_t elements = (batch - 1) * d.aux_stride + elements_of(p.m, p.n, d.aux_lead);
    p.aux = writes(d.aux, bits ? (elements + 7) / 8 : elements * bytes_of(aux_type_of(d, of_to)));
  }
  return r.perform([=](const view& v) {
    std::vector<double> most(static_cast<std::size_t>(batch)), aux_most(most);
    const double work =
        static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k + 1) * static_cast<double>(batch);
    for_each(batch, of_to.stride == 0 ? 0 : work, [&](index_t i) {
      const bool doubles = d.computed == in_double || d.computed == in_double_pedantic ||
                           d.computed == in_double_emulated || d.computed == in_integers ||
                           d.computed == in_integers_pedantic || of_a.type == i8;
      if (is_complex(of_to.type))
        return doubles ? compute_one<cdouble>(p, v, i, most[i], aux_most[i])
                       : compute_one<cfloat>(p, v, i, most[i], aux_most[i]);
      return doubles ? compute_one<double>(p, v, i, most[i], aux_most[i])
                     : compute_one<float>(p, v, i, most[i], aux_most[i]);
    });
    if (p.most.bytes != 0) store(p.most.at(v), static_cast<float>(*std::max_element(most.begin(), most.end())));
    if (p.aux_most.bytes != 0)
      store(p.aux_most.at(v), static_cast<float>(*std::max_element(aux_most.begin(), aux_most.end())));
  });
}

status transform_described(routine& r, const lt_transform& d, const void* alpha, const void* a, const lt_layout* of_a,
                           const void* beta, const void* b, const lt_layout* of_b, void* c, const lt_layout& of_c) {
  const any_scalar by = parameter_of(r, alpha, d.scale);
  const any_scalar plus = beta == nullptr && b == nullptr ? any_scalar() : parameter_of(r, beta, d.scale);
  if (r.wrong() != success) return r.wrong();
  const lt_layout one = of_a != nullptr ? *of_a : of_c, other = of_b != nullptr ? *of_b : of_c;
  for (const lt_layout* l : {&one, &other, &of_c}) {
    if (!is_known(*l)) return not_supported;
    if (!is_sound(*l)) return invalid_value;
  }
  const auto fits = [&](int o, const lt_layout& l) {
    return (o == as_it_is ? l.rows == of_c.rows && l.columns == of_c.columns
                          : l.rows == of_c.columns && l.columns == of_c.rows) &&
           l.batch == of_c.batch;
  };
  if ((a != nullptr && !fits(d.of_a, one)) || (b != nullptr && !fits(d.of_b, other))) return invalid_value;
  const auto x = r.reads_bytes(a, a == nullptr ? 0 : bytes_of_all(one)),
             y = r.reads_bytes(b, b == nullptr ? 0 : bytes_of_all(other));
  const auto z = r.writes_bytes(c, bytes_of_all(of_c));
  return r.perform([=](const view& v) {
    const cdouble p = by.at(v), q = plus.at(v);
    const auto element = [](const std::byte* data, const lt_layout& l, int o, index_t batch, index_t i, index_t j) {
      const index_t at = batch * l.stride + place_in(l, o == as_it_is ? i : j, o == as_it_is ? j : i);
      const auto e = number_of<cdouble>(data + at * bytes_of(l.type), l.type);
      return conjugate_if(o == adjoint, e);
    };
    for (index_t k = 0; k < of_c.batch; ++k)
      for (index_t j = 0; j < columns_of(of_c); ++j)
        for (index_t i = 0; i < rows_of(of_c); ++i) {
          cdouble sum = 0;
          if (x.bytes != 0 && p != 0.0) sum += p * element(x.at(v), one, d.of_a, k, i, j);
          if (y.bytes != 0 && q != 0.0) sum += q * element(y.at(v), other, d.of_b, k, i, j);
          put_number<cdouble>(z.at(v) + (k * of_c.stride + place_in(of_c, i, j)) * bytes_of(of_c.type), of_c.type, sum);
        }
  });
}

}  // namespace bankwise::math
