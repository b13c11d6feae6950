// Steps of graphs that are products of matrices: convolutions, their gradients, and matmul.
#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/graph/graph_steps.hpp"

namespace bankwise::dnn {

namespace {

// Finds the operation's convolution for these tensors. The number of groups follows from the numbers of channels of the
// image and of the filter.
bool fit_step(graph_builder& b, const graph_descriptor_content& operation, int name, std::int64_t x, std::int64_t w,
              std::int64_t y, convolution_shape& shape) {
  if (!b.why.empty()) return false;
  const graph_descriptor_content* const c = operation.child(name);
  if (c == nullptr || c->type != convolution_descriptor) return b.refuse("a convolution without its descriptor");
  if (!b.knows(*c, {at_convolution_comp_type, at_convolution_conv_mode, at_convolution_dilations,
                    at_convolution_filter_strides, at_convolution_post_paddings, at_convolution_pre_paddings,
                    at_convolution_spatial_dims}))
    return false;
  const auto before = c->integers(at_convolution_pre_paddings), after = c->integers(at_convolution_post_paddings),
             stride = c->integers(at_convolution_filter_strides), dilation = c->integers(at_convolution_dilations);
  const std::size_t axes = before.size();
  if (axes < 1 || axes > most_axes || after.size() != axes || stride.size() != axes || dilation.size() != axes)
    return b.refuse(bankwise::formatted("a convolution of {} dimensions", axes));
  convolution one;
  one.rank = static_cast<int>(axes);
  one.mode = static_cast<int>(c->number(at_convolution_conv_mode, cross_correlation));
  for (std::size_t a = 0; a < axes; ++a) {
    if (stride[a] < 1 || dilation[a] < 1 || before[a] < 0) return b.refuse("a convolution with a negative padding");
    one.before[a] = before[a];
    one.stride[a] = stride[a];
    one.dilation[a] = dilation[a];
  }
  filter of_filter;
  of_filter.shape = b.shape(w);
  if (b.shape(x).rank < 2 || of_filter.shape.rank < 2 || of_filter.shape.dims[1] == 0 ||
      b.shape(x).dims[1] % of_filter.shape.dims[1] != 0)
    return b.refuse("a convolution whose channels do not match");
  one.groups = static_cast<int>(b.shape(x).dims[1] / of_filter.shape.dims[1]);
  const fitted f = fit(one, b.shape(x), of_filter, b.shape(y));
  if (f.wrong != nullptr) return b.refuse(bankwise::formatted("a convolution in which {}", f.wrong));
  for (std::size_t a = 0; a < axes; ++a) {
    const tensor &in = b.shape(x), &out = b.shape(y);
    const index_t needed = 1 + (of_filter.shape.dims[a + 2] - 1) * dilation[a];
    if (in.dims[a + 2] + before[a] + after[a] < needed ||
        out.dims[a + 2] !=
            results_of(in.dims[a + 2], before[a] + after[a], of_filter.shape.dims[a + 2], stride[a], dilation[a]))
      return b.refuse("a convolution whose result has the wrong size");
  }
  shape = f.shape;
  return true;
}

// Computes to = alpha * result + beta * old value.
template <class Compute>
bool add_blended(graph_builder& b, std::int64_t to, double alpha, double beta, Compute compute) {
  if (beta != 0) {
    b.made.erase(to);
    b.read(to);
    b.made.insert(to);
    if (!b.why.empty()) return false;
  }
  b.program->by_blas = true;
  b.program->add([=](auto& values) {
    const auto before = beta != 0 ? values.in(to) : std::decay_t<decltype(values.in(to))>();
    auto& result = values.out(to);
    compute(values, result.data());
    using T = std::decay_t<decltype(result[0])>;
    if (alpha != 1 || beta != 0)
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<T>(alpha) * result[i] + (beta != 0 ? static_cast<T>(beta) * before[i] : T(0));
  });
  return true;
}

}  // namespace

bool add_convolution_forward(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_convolution_forward_alpha, at_convolution_forward_beta, at_convolution_forward_conv_desc,
                   at_convolution_forward_w, at_convolution_forward_x, at_convolution_forward_y}))
    return false;
  const auto x = b.reads(o, at_convolution_forward_x), w = b.reads(o, at_convolution_forward_w),
             y = b.writes(o, at_convolution_forward_y);
  convolution_shape s;
  if (!fit_step(b, o, at_convolution_forward_conv_desc, x, w, y, s)) return false;
  b.program->add_work(gpu_work(s, gpu_arithmetic(b.shape(x).type)));
  return add_blended(b, y, o.number(at_convolution_forward_alpha, 1), o.number(at_convolution_forward_beta, 0),
                     [=](auto& values, auto* to) { convolve(s, values.in(x).data(), values.in(w).data(), to); });
}
bool add_convolution_back_data(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_convolution_bwd_data_alpha, at_convolution_bwd_data_beta, at_convolution_bwd_data_conv_desc,
                   at_convolution_bwd_data_w, at_convolution_bwd_data_dx, at_convolution_bwd_data_dy}))
    return false;
  const auto dy = b.reads(o, at_convolution_bwd_data_dy), w = b.reads(o, at_convolution_bwd_data_w),
             dx = b.writes(o, at_convolution_bwd_data_dx);
  convolution_shape s;
  if (!fit_step(b, o, at_convolution_bwd_data_conv_desc, dx, w, dy, s)) return false;
  b.program->add_work(gpu_work(s, gpu_arithmetic(b.shape(dx).type)));
  return add_blended(b, dx, o.number(at_convolution_bwd_data_alpha, 1), o.number(at_convolution_bwd_data_beta, 0),
                     [=](auto& values, auto* to) { convolve_back(s, values.in(w).data(), values.in(dy).data(), to); });
}
bool add_convolution_back_filter(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_convolution_bwd_filter_alpha, at_convolution_bwd_filter_beta, at_convolution_bwd_filter_conv_desc,
                   at_convolution_bwd_filter_dw, at_convolution_bwd_filter_x, at_convolution_bwd_filter_dy}))
    return false;
  const auto x = b.reads(o, at_convolution_bwd_filter_x), dy = b.reads(o, at_convolution_bwd_filter_dy),
             dw = b.writes(o, at_convolution_bwd_filter_dw);
  convolution_shape s;
  if (!fit_step(b, o, at_convolution_bwd_filter_conv_desc, x, dw, dy, s)) return false;
  b.program->add_work(gpu_work(s, gpu_arithmetic(b.shape(x).type)));
  return add_blended(
      b, dw, o.number(at_convolution_bwd_filter_alpha, 1), o.number(at_convolution_bwd_filter_beta, 0),
      [=](auto& values, auto* to) { convolve_filter(s, values.in(x).data(), values.in(dy).data(), to); });
}

// Computes c = a * b in the last two dimensions. In other dimensions, a or b may be smaller than c by a whole factor.
// The factor is the number of consecutive products that use the same matrix.
bool add_matmul(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_matmul_adesc, at_matmul_bdesc, at_matmul_cdesc, at_matmul_desc,
                   at_matmul_irregularly_strided_batch_count}))
    return false;
  const auto left = b.reads(o, at_matmul_adesc), right = b.reads(o, at_matmul_bdesc), to = b.writes(o, at_matmul_cdesc);
  if (!b.why.empty()) return false;
  const tensor &x = b.shape(left), &y = b.shape(right), &z = b.shape(to);
  const int rank = z.rank;
  if (rank < 2 || x.rank != rank || y.rank != rank) return b.refuse("a matmul of tensors with different dimensions");
  const index_t m = z.dims[rank - 2], n = z.dims[rank - 1], k = x.dims[rank - 1];
  if (x.dims[rank - 2] != m || y.dims[rank - 2] != k || y.dims[rank - 1] != n)
    return b.reject(bankwise::formatted("the sizes of a matmul do not match: A is {}x{}, B is {}x{} and C is {}x{}",
                                        x.dims[rank - 2], k, y.dims[rank - 2], y.dims[rank - 1], m, n));
  index_t count = 1;
  for (int d = 0; d < rank - 2; ++d) {
    if (z.dims[d] % x.dims[d] != 0 || z.dims[d] % y.dims[d] != 0)
      return b.reject(bankwise::formatted(
          "the batches of a matmul do not match: dimension {} of A is {}, of B is {} and of C is {}", d, x.dims[d],
          y.dims[d], z.dims[d]));
    count *= z.dims[d];
  }
  const auto matrix_of = [rank, z](const tensor& of, index_t i) {
    index_t index = 0, step = 1;
    for (int d = rank - 3; d >= 0; --d) {
      index += i % z.dims[d] / (z.dims[d] / of.dims[d]) * step;
      i /= z.dims[d];
      step *= of.dims[d];
    }
    return index;
  };
  b.program->by_blas = true;
  b.program->add_work(cuda::library_work::of_products(gpu_arithmetic(x.type), static_cast<double>(count),
                                                      static_cast<double>(m), static_cast<double>(n),
                                                      static_cast<double>(k)));
  b.program->add([=](auto& values) {
    const auto &first = values.in(left), &second = values.in(right);
    auto& result = values.out(to);
    using T = std::decay_t<decltype(result[0])>;
    math::for_each(count, static_cast<double>(count * m) * static_cast<double>(n * k), [&](index_t i) {
      math::multiply<T>(math::as_it_is, math::as_it_is, n, m, k, 1,
                        second.data() + matrix_of(values.shape(right), i) * k * n, n,
                        first.data() + matrix_of(values.shape(left), i) * m * k, k, 0, result.data() + i * m * n, n);
    });
  });
  return true;
}

}  // namespace bankwise::dnn
