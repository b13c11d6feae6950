// Steps of graphs that compute normalisations and their gradients. This file also contains resampling, which is cuDNN's
// name for pooling and interpolation.
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "math/dnn/graph/graph_steps.hpp"
#include "math/dnn/numerics/normalisation.hpp"
#include "math/dnn/numerics/pool.hpp"

namespace bankwise::dnn {

namespace {

// Sets `mean` to the shape of the means of x. If the scale does not match x, stores an error and returns false.
bool mean_shape(graph_builder& b, int mode, const tensor& x, const tensor& scale, tensor& mean) {
  mean = x;
  if (scale.rank != x.rank || x.rank < 2)
    return b.refuse("a normalisation whose scale does not have the dimensions of its input");
  for (int d = 0; d < x.rank; ++d) {
    bool shared = false;
    switch (mode) {
      case norm_layer:
      case norm_rms: shared = d > 0 && scale.dims[d] != 1; break;
      case norm_instance: shared = d > 1; break;
      case norm_batch: shared = d != 1; break;
      default: return b.refuse(bankwise::formatted("normalisation mode {}", mode));
    }
    if (shared) mean.dims[d] = 1;
  }
  return true;
}

template <class T>
std::vector<double> doubles(const std::vector<T>& from) {
  return {from.begin(), from.end()};
}
template <class T>
void put(std::vector<T>& to, const std::vector<double>& from) {
  for (std::size_t i = 0; i < to.size() && i < from.size(); ++i) to[i] = static_cast<T>(from[i]);
}

}  // namespace

bool add_norm_forward(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(
          o, {at_norm_fwd_mode, at_norm_fwd_phase, at_norm_fwd_xdesc, at_norm_fwd_mean_desc,
              at_norm_fwd_inv_variance_desc, at_norm_fwd_scale_desc, at_norm_fwd_bias_desc, at_norm_fwd_epsilon_desc,
              at_norm_fwd_exp_avg_factor_desc, at_norm_fwd_input_running_mean_desc, at_norm_fwd_input_running_var_desc,
              at_norm_fwd_output_running_mean_desc, at_norm_fwd_output_running_var_desc, at_norm_fwd_ydesc}))
    return false;
  const int mode = static_cast<int>(o.number(at_norm_fwd_mode, -1)),
            phase = static_cast<int>(o.number(at_norm_fwd_phase, -1));
  const bool given = phase == phase_inference && (mode == norm_batch || mode == norm_instance);
  const auto has = [&](int name) { return o.find(name) != nullptr; };
  const auto x = b.reads(o, at_norm_fwd_xdesc), scale = b.reads(o, at_norm_fwd_scale_desc);
  const bool with_bias = has(at_norm_fwd_bias_desc), with_epsilon = has(at_norm_fwd_epsilon_desc);
  const auto bias = with_bias ? b.reads(o, at_norm_fwd_bias_desc) : x,
             epsilon = with_epsilon ? b.reads(o, at_norm_fwd_epsilon_desc) : x;
  const bool saves_mean = !given && has(at_norm_fwd_mean_desc),
             saves_inverse = !given && has(at_norm_fwd_inv_variance_desc),
             running = has(at_norm_fwd_output_running_mean_desc);
  const auto in_mean = given ? b.reads(o, at_norm_fwd_mean_desc) : x,
             in_inverse = given ? b.reads(o, at_norm_fwd_inv_variance_desc) : x;
  const auto run_mean = running ? b.reads(o, at_norm_fwd_input_running_mean_desc) : x,
             run_var = running ? b.reads(o, at_norm_fwd_input_running_var_desc) : x,
             average = running ? b.reads(o, at_norm_fwd_exp_avg_factor_desc) : x;
  const auto y = b.writes(o, at_norm_fwd_ydesc);
  const auto out_mean = saves_mean ? b.writes(o, at_norm_fwd_mean_desc) : x,
             out_inverse = saves_inverse ? b.writes(o, at_norm_fwd_inv_variance_desc) : x,
             new_mean = running ? b.writes(o, at_norm_fwd_output_running_mean_desc) : x,
             new_var = running ? b.writes(o, at_norm_fwd_output_running_var_desc) : x;
  if (!b.why.empty()) return false;
  tensor mean;
  if (!mean_shape(b, mode, b.shape(x), b.shape(scale), mean)) return false;
  norm_shape s(b.shape(x), mean, b.shape(scale));
  s.around_zero = mode == norm_rms;
  if (!s.fits() || (with_bias && count_of(b.shape(bias)) != s.scale_count))
    return b.refuse(
        "a normalisation in which the scale does not fit the input, or the bias does not have the size of the scale");
  for (const auto& [is, number] :
       {std::pair(given, in_mean), std::pair(given, in_inverse), std::pair(saves_mean, out_mean),
        std::pair(saves_inverse, out_inverse), std::pair(running, run_mean), std::pair(running, run_var),
        std::pair(running, new_mean), std::pair(running, new_var)})
    if (is && count_of(b.shape(number)) != s.mean_count)
      return b.refuse("a normalisation in which a mean or a variance has the wrong number of elements");
  b.program->add([=](auto& values) {
    const auto& from = values.in(x);
    norm_statistics stats;
    std::vector<double> inverse;
    if (given) {
      stats.mean = doubles(values.in(in_mean));
      inverse = doubles(values.in(in_inverse));
    } else {
      stats = statistics_of(s, from);
      inverse = stats.inverse_deviation(with_epsilon ? static_cast<double>(values.in(epsilon)[0]) : 0);
    }
    const auto result = normalised(s, from, stats.mean, inverse, doubles(values.in(scale)),
                                   with_bias ? doubles(values.in(bias)) : std::vector<double>());
    if (running) {
      const double part = static_cast<double>(values.in(average)[0]), count = s.per_mean();
      std::vector<double> means = doubles(values.in(run_mean)), variances = doubles(values.in(run_var));
      for (std::size_t i = 0; i < means.size(); ++i) {
        means[i] = (1 - part) * means[i] + part * stats.mean[i];
        variances[i] = (1 - part) * variances[i] + part * stats.variance[i] * count / std::max(count - 1, 1.0);
      }
      put(values.out(new_mean), means);
      put(values.out(new_var), variances);
    }
    values.out(y) = result;
    if (saves_mean) put(values.out(out_mean), stats.mean);
    if (saves_inverse) put(values.out(out_inverse), inverse);
  });
  return true;
}

bool add_norm_back(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_norm_bwd_mode, at_norm_bwd_xdesc, at_norm_bwd_mean_desc, at_norm_bwd_inv_variance_desc,
                   at_norm_bwd_dydesc, at_norm_bwd_scale_desc, at_norm_bwd_epsilon_desc, at_norm_bwd_dscale_desc,
                   at_norm_bwd_dbias_desc, at_norm_bwd_dxdesc}))
    return false;
  const int mode = static_cast<int>(o.number(at_norm_bwd_mode, -1));
  const auto has = [&](int name) { return o.find(name) != nullptr; };
  const bool with_mean = has(at_norm_bwd_mean_desc), with_inverse = has(at_norm_bwd_inv_variance_desc),
             with_epsilon = has(at_norm_bwd_epsilon_desc), with_bias = has(at_norm_bwd_dbias_desc);
  const auto x = b.reads(o, at_norm_bwd_xdesc), dy = b.reads(o, at_norm_bwd_dydesc),
             scale = b.reads(o, at_norm_bwd_scale_desc);
  const auto saved_mean = with_mean ? b.reads(o, at_norm_bwd_mean_desc) : x,
             saved_inverse = with_inverse ? b.reads(o, at_norm_bwd_inv_variance_desc) : x,
             epsilon = with_epsilon ? b.reads(o, at_norm_bwd_epsilon_desc) : x;
  const auto dx = b.writes(o, at_norm_bwd_dxdesc), dscale = b.writes(o, at_norm_bwd_dscale_desc),
             dbias = with_bias ? b.writes(o, at_norm_bwd_dbias_desc) : x;
  if (!b.why.empty()) return false;
  tensor mean;
  if (!mean_shape(b, mode, b.shape(x), b.shape(scale), mean)) return false;
  norm_shape s(b.shape(x), mean, b.shape(scale));
  s.around_zero = mode == norm_rms;
  if (!s.fits() || !same_dims(b.shape(x), b.shape(dy)) ||
      (with_mean && count_of(b.shape(saved_mean)) != s.mean_count) ||
      (with_inverse && count_of(b.shape(saved_inverse)) != s.mean_count) ||
      count_of(b.shape(dscale)) != s.scale_count || (with_bias && count_of(b.shape(dbias)) != s.scale_count))
    return b.refuse(
        "the gradient of a normalisation in which dy, a scale, a bias or the statistics have the wrong size");
  b.program->add([=](auto& values) {
    const auto& from = values.in(x);
    const norm_statistics own =
        with_inverse && (with_mean || s.around_zero) ? norm_statistics() : statistics_of(s, from);
    const std::vector<double> means = with_mean ? doubles(values.in(saved_mean)) : own.mean;
    const std::vector<double> inverse =
        with_inverse ? doubles(values.in(saved_inverse))
                     : own.inverse_deviation(with_epsilon ? static_cast<double>(values.in(epsilon)[0]) : 0);
    const auto made = normalised_back(s, from, values.in(dy), means, inverse, doubles(values.in(scale)));
    values.out(dx) = made.x;
    put(values.out(dscale), made.scale);
    if (with_bias) put(values.out(dbias), made.bias);
  });
  return true;
}

bool add_resample_forward(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_resample_fwd_xdesc, at_resample_fwd_ydesc, at_resample_fwd_alpha, at_resample_fwd_beta,
                   at_resample_fwd_desc}))
    return false;
  const graph_descriptor_content* const c = o.child(at_resample_fwd_desc);
  if (c == nullptr) return b.refuse("a resampling without its descriptor");
  if (!b.knows(*c, {at_resample_mode, at_resample_comp_type, at_resample_spatial_dims, at_resample_post_paddings,
                    at_resample_pre_paddings, at_resample_strides, at_resample_window_dims, at_resample_nan_propagation,
                    at_resample_padding_mode}))
    return false;
  pool_shape p;
  switch (static_cast<int>(c->number(at_resample_mode, -1))) {
    case resample_average: p.mode = pool_average_with_padding; break;
    case resample_average_inside: p.mode = pool_average_without_padding; break;
    case resample_max: p.mode = pool_max; break;
    default: return b.refuse("resampling by interpolation");
  }
  if (o.number(at_resample_fwd_alpha, 1) != 1 || o.number(at_resample_fwd_beta, 0) != 0)
    return b.refuse("resampling with alpha other than 1 or beta other than 0");
  // Reads integers. cuDNN may pass them as fractions, but the denominator must be 1.
  const auto whole = [&](int name) {
    const graph_attribute* const a = c->find(name);
    std::vector<std::int64_t> values;
    const std::size_t size = a != nullptr ? bytes_of_attribute(a->type) : 0;
    if (size < sizeof(std::int64_t)) b.refuse("resampling with a window, padding or stride that is not an integer");
    for (std::size_t i = 0; size >= sizeof(std::int64_t) && (i + 1) * size <= a->bytes.size(); ++i) {
      values.push_back(math::load<std::int64_t>(a->bytes.data() + i * size));
      if (size == 16 && math::load<std::int64_t>(a->bytes.data() + i * size + 8) != 1)
        b.refuse("resampling with a window, padding or stride that is a fraction");
    }
    return values;
  };
  const auto window = whole(at_resample_window_dims), before = whole(at_resample_pre_paddings),
             stride = whole(at_resample_strides);
  const auto x = b.reads(o, at_resample_fwd_xdesc), y = b.writes(o, at_resample_fwd_ydesc);
  if (!b.why.empty()) return false;
  const std::vector<index_t> w(window.begin(), window.end()), f(before.begin(), before.end()),
      t(stride.begin(), stride.end());
  if (w.size() != f.size() || w.size() != t.size() || !p.fit(b.shape(x), b.shape(y), w, f, t))
    return b.refuse("a resampling whose window, padding, stride or tensor sizes are not valid");
  b.program->add([=](auto& values) {
    const auto from = values.in(x);
    pool(p, from, values.out(y));
  });
  return true;
}

}  // namespace bankwise::dnn
