// Pointwise steps of graphs, which compute each element separately, and other simple steps: reduction, reshape,
// concatenation, statistics.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/graph/graph_steps.hpp"
#include "math/dnn/numerics/tensor_reduction.hpp"

namespace bankwise::dnn {

namespace {

struct pointwise_settings {
  int mode = pw_identity;
  double low = 0, high = INFINITY, slope = 0, elu_alpha = 1, softplus_beta = 1, swish_beta = 1;
};

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double gelu_slope(double x) {
  return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
const double gelu_scale = std::sqrt(2 / std::numbers::pi);
constexpr double gelu_cube = 0.044715;

// Computes one element of the result from the elements x, b and t of the operands. Some modes use only x. Only
// pw_binary_select uses t.
double combine(const pointwise_settings& p, double x, double b, double t) {
  switch (p.mode) {
    case pw_add: return x + b;
    case pw_add_square: return x + b * b;
    case pw_div: return x / b;
    case pw_max: return std::isnan(x) || std::isnan(b) ? NAN : std::max(x, b);
    case pw_min: return std::isnan(x) || std::isnan(b) ? NAN : std::min(x, b);
    case pw_mod: return std::fmod(x, b);
    case pw_mul: return x * b;
    case pw_pow: return std::pow(x, b);
    case pw_sub: return x - b;
    case pw_abs: return std::fabs(x);
    case pw_ceil: return std::ceil(x);
    case pw_cos: return std::cos(x);
    case pw_exp: return std::exp(x);
    case pw_floor: return std::floor(x);
    case pw_log: return std::log(x);
    case pw_neg: return -x;
    case pw_rsqrt: return 1 / std::sqrt(x);
    case pw_sin: return std::sin(x);
    case pw_sqrt: return std::sqrt(x);
    case pw_tan: return std::tan(x);
    case pw_erf: return std::erf(x);
    case pw_identity: return x;
    case pw_reciprocal: return 1 / x;
    case pw_atan2: return std::atan2(x, b);
    case pw_relu_fwd: return x < p.low ? p.low + p.slope * (x - p.low) : std::isnan(x) ? x : std::min(x, p.high);
    case pw_tanh_fwd: return std::tanh(x);
    case pw_sigmoid_fwd: return sigmoid_of(x);
    case pw_elu_fwd: return x > 0 ? x : p.elu_alpha * std::expm1(x);
    case pw_gelu_fwd: return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case pw_softplus_fwd: {
      const double scaled = p.softplus_beta * x;
      return scaled > 40 ? x : std::log1p(std::exp(scaled)) / p.softplus_beta;
    }
    case pw_swish_fwd: return x * sigmoid_of(p.swish_beta * x);
    case pw_gelu_approx_tanh_fwd: return 0.5 * x * (1 + std::tanh(gelu_scale * (x + gelu_cube * x * x * x)));
    case pw_cmp_eq: return x == b;
    case pw_cmp_neq: return x != b;
    case pw_cmp_gt: return x > b;
    case pw_cmp_ge: return x >= b;
    case pw_cmp_lt: return x < b;
    case pw_cmp_le: return x <= b;
    case pw_logical_and: return x != 0 && b != 0;
    case pw_logical_or: return x != 0 || b != 0;
    case pw_logical_not: return x == 0;
    case pw_binary_select: return t != 0 ? x : b;
    default: return NAN;
  }
}
// Returns the gradient with respect to x from dy, the gradient of the result.
double slope_of(const pointwise_settings& p, double dy, double x) {
  switch (p.mode) {
    case pw_relu_bwd: return x <= p.low ? dy * p.slope : x < p.high ? dy : 0;
    case pw_tanh_bwd: return dy * (1 - std::tanh(x) * std::tanh(x));
    case pw_sigmoid_bwd: return dy * sigmoid_of(x) * (1 - sigmoid_of(x));
    case pw_elu_bwd: return x > 0 ? dy : dy * p.elu_alpha * std::exp(x);
    case pw_gelu_bwd: return dy * gelu_slope(x);
    case pw_softplus_bwd: return dy * sigmoid_of(p.softplus_beta * x);
    case pw_swish_bwd: {
      const double s = sigmoid_of(p.swish_beta * x);
      return dy * (s + p.swish_beta * x * s * (1 - s));
    }
    case pw_gelu_approx_tanh_bwd: {
      const double t = std::tanh(gelu_scale * (x + gelu_cube * x * x * x));
      return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * gelu_scale * (1 + 3 * gelu_cube * x * x));
    }
    default: return NAN;
  }
}
bool is_slope(int mode) { return mode >= pw_relu_bwd && mode <= pw_gelu_approx_tanh_bwd; }
bool takes_two(int mode) {
  return (mode <= pw_sub && mode != pw_sqrt) || mode == pw_atan2 || (mode >= pw_cmp_eq && mode <= pw_logical_or) ||
         mode == pw_binary_select;
}
bool is_mode(int mode) {
  return (mode >= 0 && mode <= pw_atan2) || (mode >= pw_relu_fwd && mode <= pw_gelu_approx_tanh_fwd) ||
         is_slope(mode) || (mode >= pw_cmp_eq && mode <= pw_cmp_le) ||
         (mode >= pw_logical_and && mode <= pw_logical_not) || mode == pw_gen_index || mode == pw_binary_select;
}

bool reads_mode(graph_builder& b, const graph_descriptor_content& o, pointwise_settings& p, int& axis) {
  const graph_descriptor_content* const c = o.child(at_pointwise_pw_descriptor);
  if (c == nullptr || c->type != pointwise_descriptor) return b.refuse("a pointwise operation without its descriptor");
  if (!b.knows(*c, {at_pointwise_mode, at_pointwise_math_prec, at_pointwise_nan_propagation,
                    at_pointwise_relu_lower_clip, at_pointwise_relu_upper_clip, at_pointwise_relu_lower_clip_slope,
                    at_pointwise_elu_alpha, at_pointwise_softplus_beta, at_pointwise_swish_beta, at_pointwise_axis}))
    return false;
  p.mode = static_cast<int>(c->number(at_pointwise_mode, -1));
  p.low = c->number(at_pointwise_relu_lower_clip, p.low);
  p.high = c->number(at_pointwise_relu_upper_clip, p.high);
  p.slope = c->number(at_pointwise_relu_lower_clip_slope, p.slope);
  p.elu_alpha = c->number(at_pointwise_elu_alpha, p.elu_alpha);
  p.softplus_beta = c->number(at_pointwise_softplus_beta, p.softplus_beta);
  p.swish_beta = c->number(at_pointwise_swish_beta, p.swish_beta);
  axis = static_cast<int>(c->number(at_pointwise_axis, -1));
  return is_mode(p.mode) || b.refuse(bankwise::formatted("pointwise mode {}", p.mode));
}

}  // namespace

bool add_pointwise(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(
          o, {at_pointwise_pw_descriptor, at_pointwise_xdesc, at_pointwise_bdesc, at_pointwise_ydesc,
              at_pointwise_alpha1, at_pointwise_alpha2, at_pointwise_dxdesc, at_pointwise_dydesc, at_pointwise_tdesc}))
    return false;
  pointwise_settings p;
  int axis = -1;
  if (!reads_mode(b, o, p, axis)) return false;
  const bool back = is_slope(p.mode), two = takes_two(p.mode), chosen = p.mode == pw_binary_select;
  const auto x = b.reads(o, at_pointwise_xdesc);
  const auto second = back ? b.reads(o, at_pointwise_dydesc) : two ? b.reads(o, at_pointwise_bdesc) : x;
  const auto third = chosen ? b.reads(o, at_pointwise_tdesc) : x;
  const auto y = b.writes(o, back ? at_pointwise_dxdesc : at_pointwise_ydesc);
  if (!b.why.empty()) return false;
  const tensor to = b.shape(y);
  if (p.mode == pw_gen_index) {
    if (axis < 0 || axis >= to.rank) return b.refuse("indices of an axis that does not exist");
    b.program->add([=](auto& values) {
      auto& result = values.out(y);
      index_t after = 1;
      for (int d = axis + 1; d < to.rank; ++d) after *= to.dims[d];
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::decay_t<decltype(result[0])>>(static_cast<index_t>(i) / after % to.dims[axis]);
    });
    return true;
  }
  const spread_index of_x(b.shape(x), to), of_second(b.shape(second), to), of_third(b.shape(third), to);
  if (!of_x.fits() || !of_second.fits() || !of_third.fits())
    return b.refuse("a pointwise operation in which the dimensions of an input do not match the output");
  const double alpha1 = o.number(at_pointwise_alpha1, 1), alpha2 = o.number(at_pointwise_alpha2, 1);
  b.program->add([=](auto& values) {
    const auto first = values.in(x), other = values.in(second), condition = values.in(third);
    auto& result = values.out(y);
    using T = std::decay_t<decltype(result[0])>;
    std::vector<T> spread(result.size()), selected(chosen ? result.size() : 0);
    of_second.for_each([&](index_t i, index_t at) { spread[i] = other[at]; });
    if (chosen) of_third.for_each([&](index_t i, index_t at) { selected[i] = condition[at]; });
    of_x.for_each([&](index_t i, index_t at) {
      // A value that is multiplied by 0 has no effect, even if it is NaN. Programs may pass uninitialised memory.
      const double value = alpha1 == 0 ? 0 : static_cast<double>(first[at]),
                   beside = alpha2 == 0 ? 0 : static_cast<double>(spread[i]);
      const double made =
          back ? slope_of(p, beside, value)
               : combine(p, alpha1 * value, alpha2 * beside, chosen ? static_cast<double>(selected[i]) : 0);
      result[i] = static_cast<T>(made);
    });
  });
  return true;
}

bool add_reduction(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_reduction_xdesc, at_reduction_ydesc, at_reduction_desc})) return false;
  const graph_descriptor_content* const c = o.child(at_reduction_desc);
  if (c == nullptr) return b.refuse("a reduction without its descriptor");
  if (!b.knows(*c, {at_reduction_operator, at_reduction_comp_type, at_reduction_is_deterministic})) return false;
  const int op = static_cast<int>(c->number(at_reduction_operator, -1));
  if (op < reduce_add || op > reduce_mul_no_zeros) return b.refuse(bankwise::formatted("reduction operator {}", op));
  const auto x = b.reads(o, at_reduction_xdesc), y = b.writes(o, at_reduction_ydesc);
  if (!b.why.empty()) return false;
  const spread_index of_result(b.shape(y), b.shape(x));
  if (!of_result.fits()) return b.refuse("a reduction in which the dimensions of the output do not match the input");
  b.program->add([=](auto& values) {
    const auto& from = values.in(x);
    auto& result = values.out(y);
    std::vector<double> sums(result.size(), first_of(op));
    of_result.for_each([&](index_t i, index_t to) { sums[to] = reduced(op, sums[to], static_cast<double>(from[i])); });
    const double count = static_cast<double>(from.size()) / static_cast<double>(result.size());
    using T = std::decay_t<decltype(result[0])>;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(finished(op, sums[i], count));
  });
  return true;
}

// Adds a tensor with other dimensions and strides in the same memory. For example, exchanged strides transpose a
// matrix.
bool add_reshape(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_reshape_xdesc, at_reshape_ydesc})) return false;
  const auto x = b.reads(o, at_reshape_xdesc), y = b.writes(o, at_reshape_ydesc);
  if (!b.why.empty()) return false;
  const tensor from = b.shape(x), to = b.shape(y);
  if (count_of(from) != count_of(to) || reach_of(from) != count_of(from) || reach_of(to) != count_of(to))
    return b.refuse("a reshape that changes the number of elements, or a reshape of a tensor with gaps");
  b.program->add([=](auto& values) {
    const auto given = values.in(x);
    auto& result = values.out(y);
    std::decay_t<decltype(result)> memory(given.size());
    const auto each = [](const tensor& t, auto body) {
      for (index_t i = 0; i < count_of(t); ++i) {
        index_t at = 0, rest = i;
        for (int d = t.rank - 1; d >= 0; --d) {
          at += rest % t.dims[d] * t.strides[d];
          rest /= t.dims[d];
        }
        body(i, at);
      }
    };
    each(from, [&](index_t i, index_t at) { memory[at] = given[i]; });
    each(to, [&](index_t i, index_t at) { result[i] = memory[at]; });
  });
  return true;
}

bool add_concatenation(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_concat_axis, at_concat_input_descs, at_concat_inplace_index, at_concat_output_desc}))
    return false;
  const graph_attribute* const inputs = o.find(at_concat_input_descs);
  if (inputs == nullptr || inputs->children.empty()) return b.refuse("a concatenation without inputs");
  std::vector<std::int64_t> pieces;
  for (const auto& c : inputs->children) {
    pieces.push_back(b.add_tensor(*c));
    if (!b.why.empty()) return false;
    b.read(pieces.back());
  }
  const auto y = b.writes(o, at_concat_output_desc);
  if (!b.why.empty()) return false;
  const tensor to = b.shape(y);
  const int axis = static_cast<int>(o.number(at_concat_axis, -1));
  if (axis < 0 || axis >= to.rank) return b.refuse("a concatenation along an axis that does not exist");
  index_t after = 1, before = 1, length = 0;
  for (int d = 0; d < to.rank; ++d) (d < axis ? before : after) *= d == axis ? 1 : to.dims[d];
  for (const auto p : pieces) {
    const tensor& t = b.shape(p);
    if (t.rank != to.rank) return b.refuse("a concatenation of tensors with different numbers of dimensions");
    for (int d = 0; d < to.rank; ++d)
      if (d != axis && t.dims[d] != to.dims[d])
        return b.refuse("a concatenation in which an input and the output differ in a size outside the axis");
    length += t.dims[axis];
  }
  if (length != to.dims[axis])
    return b.refuse("a concatenation in which the inputs together do not have the size of the output along the axis");
  b.program->add([=](auto& values) {
    std::vector<std::decay_t<decltype(values.in(y))>> from;
    for (const auto p : pieces) from.push_back(values.in(p));
    auto& result = values.out(y);
    index_t at = 0;
    for (index_t i = 0; i < before; ++i)
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const index_t size = values.shape(pieces[p]).dims[axis] * after;
        std::copy_n(from[p].begin() + i * size, size, result.begin() + at);
        at += size;
      }
  });
  return true;
}

// Adds a step that computes two numbers for each channel: the sum, and the sum of squares.
bool add_statistics(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(
          o, {at_genstats_mode, at_genstats_math_prec, at_genstats_xdesc, at_genstats_sumdesc, at_genstats_sqsumdesc}))
    return false;
  const auto x = b.reads(o, at_genstats_xdesc), sum = b.writes(o, at_genstats_sumdesc),
             squares = b.writes(o, at_genstats_sqsumdesc);
  if (!b.why.empty()) return false;
  const spread_index of_sum(b.shape(sum), b.shape(x)), of_squares(b.shape(squares), b.shape(x));
  if (!of_sum.fits() || !of_squares.fits())
    return b.refuse("a GenStats operation in which the dimensions of a sum do not match the input");
  b.program->add([=](auto& values) {
    const auto& from = values.in(x);
    std::vector<double> sums(static_cast<std::size_t>(count_of(values.shape(sum)))),
        of_square(static_cast<std::size_t>(count_of(values.shape(squares))));
    of_sum.for_each([&](index_t i, index_t to) { sums[to] += static_cast<double>(from[i]); });
    of_squares.for_each(
        [&](index_t i, index_t to) { of_square[to] += static_cast<double>(from[i]) * static_cast<double>(from[i]); });
    auto& first = values.out(sum);
    std::copy(sums.begin(), sums.end(), first.begin());
    auto& second = values.out(squares);
    std::copy(of_square.begin(), of_square.end(), second.begin());
  });
  return true;
}

}  // namespace bankwise::dnn
