// cuDNN's layers without weights: activation, softmax, pooling, local response normalisation, dropout.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/numerics/dropout_mask.hpp"
#include "math/dnn/numerics/pool.hpp"

using namespace bankwise::dnn;

namespace {

bool are_sound(std::initializer_list<const tensor*> all) {
  return std::all_of(all.begin(), all.end(),
                     [&](const tensor* t) { return t != nullptr && is_sound(*t) && same_dims(*t, **all.begin()); });
}

// Softmax is computed over `groups` groups of `length` elements, which have equal distances.
struct softmax_groups {
  index_t outer = 1, length = 1, inner = 1;
  template <class F>
  void for_each(F body) const {
    for (index_t o = 0; o < outer; ++o)
      for (index_t i = 0; i < inner; ++i) body(o * length * inner + i);
  }
};
softmax_groups groups_of(const tensor& t, int mode) {
  softmax_groups g;
  g.outer = t.dims[0];
  g.length = t.rank > 1 ? t.dims[1] : 1;
  for (int d = 2; d < t.rank; ++d) g.inner *= t.dims[d];
  if (mode == softmax_instance) {
    g.length *= g.inner;
    g.inner = 1;
  }
  return g;
}

}  // namespace

CUDA_API int cudnnActivationForward(const handle* h, const activation* a, const void* alpha, const tensor* x_shape,
                                    const void* x, const void* beta, const tensor* y_shape, void* y) {
  if (a == nullptr) return bad_param_null;
  if (!are_sound({x_shape, y_shape})) return bad_param;
  return perform(h, "cudnnActivationForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=, how = *a](const view& v) {
      std::vector<double> values = from.numbers<double>(v);
      for (double& one : values) one = activate(how, one);
      to.put(v, values);
    });
  });
}
CUDA_API int cudnnActivationBackward(const handle* h, const activation* a, const void* alpha, const tensor* y_shape,
                                     const void* y, const tensor* dy_shape, const void* dy, const tensor* x_shape,
                                     const void* x, const void* beta, const tensor* dx_shape, void* dx) {
  if (a == nullptr) return bad_param_null;
  // Without the input, the slope is computed from the output. This is enough for ReLU.
  const bool has_x = x_shape != nullptr && x != nullptr;
  if (!are_sound({y_shape, dy_shape, dx_shape}) || (has_x && !same_dims(*x_shape, *y_shape))) return bad_param;
  return perform(h, "cudnnActivationBackward", [&](routine& r) {
    const operand out = reads(r, *y_shape, y), given = reads(r, *dy_shape, dy),
                  in = has_x ? reads(r, *x_shape, x) : out;
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0));
    return r.perform([=, how = *a](const view& v) {
      const std::vector<double> results = out.numbers<double>(v), before = in.numbers<double>(v);
      std::vector<double> values = given.numbers<double>(v);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= activation_slope(how, before[i], results[i]);
      to.put(v, values);
    });
  });
}

CUDA_API int cudnnSoftmaxForward(const handle* h, int algorithm, int mode, const void* alpha, const tensor* x_shape,
                                 const void* x, const void* beta, const tensor* y_shape, void* y) {
  if (!are_sound({x_shape, y_shape}) || algorithm < softmax_fast || algorithm > softmax_log) return bad_param;
  return perform(h, "cudnnSoftmaxForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=](const view& v) {
      std::vector<double> values = from.numbers<double>(v);
      const softmax_groups g = groups_of(from.shape, mode);
      g.for_each([&](index_t first) {
        double most = -INFINITY, sum = 0;
        for (index_t i = 0; i < g.length; ++i) most = std::max(most, values[first + i * g.inner]);
        for (index_t i = 0; i < g.length; ++i) sum += std::exp(values[first + i * g.inner] - most);
        for (index_t i = 0; i < g.length; ++i) {
          double& one = values[first + i * g.inner];
          one = algorithm == softmax_log ? one - most - std::log(sum) : std::exp(one - most) / sum;
        }
      });
      to.put(v, values);
    });
  });
}
CUDA_API int cudnnSoftmaxBackward(const handle* h, int algorithm, int mode, const void* alpha, const tensor* y_shape,
                                  const void* y, const tensor* dy_shape, const void* dy, const void* beta,
                                  const tensor* dx_shape, void* dx) {
  if (!are_sound({y_shape, dy_shape, dx_shape}) || algorithm < softmax_fast || algorithm > softmax_log)
    return bad_param;
  return perform(h, "cudnnSoftmaxBackward", [&](routine& r) {
    const operand out = reads(r, *y_shape, y), given = reads(r, *dy_shape, dy);
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0));
    return r.perform([=](const view& v) {
      const std::vector<double> results = out.numbers<double>(v);
      std::vector<double> values = given.numbers<double>(v);
      const softmax_groups g = groups_of(out.shape, mode);
      g.for_each([&](index_t first) {
        double sum = 0;
        for (index_t i = 0; i < g.length; ++i) {
          const index_t at = first + i * g.inner;
          sum += algorithm == softmax_log ? values[at] : values[at] * results[at];
        }
        for (index_t i = 0; i < g.length; ++i) {
          const index_t at = first + i * g.inner;
          values[at] =
              algorithm == softmax_log ? values[at] - std::exp(results[at]) * sum : results[at] * (values[at] - sum);
        }
      });
      to.put(v, values);
    });
  });
}

namespace {

bool fit_pool(const pooling& p, const tensor& x, const tensor& y, pool_shape& shape) {
  shape.mode = p.mode;
  const auto list = [&](const index_t* from) { return std::vector<index_t>(from, from + p.rank); };
  return shape.fit(x, y, list(p.window), list(p.before), list(p.stride));
}

}  // namespace

CUDA_API int cudnnPoolingForward(const handle* h, const pooling* p, const void* alpha, const tensor* x_shape,
                                 const void* x, const void* beta, const tensor* y_shape, void* y) {
  if (p == nullptr || x_shape == nullptr || y_shape == nullptr) return bad_param_null;
  pool_shape shape;
  if (!is_sound(*x_shape) || !is_sound(*y_shape) || !fit_pool(*p, *x_shape, *y_shape, shape)) return bad_param;
  return perform(h, "cudnnPoolingForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=](const view& v) {
      std::vector<double> values(static_cast<std::size_t>(count_of(to.shape)));
      pool(shape, from.numbers<double>(v), values);
      to.put(v, values);
    });
  });
}
CUDA_API int cudnnPoolingBackward(const handle* h, const pooling* p, const void* alpha, const tensor* y_shape,
                                  const void*, const tensor* dy_shape, const void* dy, const tensor* x_shape,
                                  const void* x, const void* beta, const tensor* dx_shape, void* dx) {
  if (p == nullptr || y_shape == nullptr) return bad_param_null;
  pool_shape shape;
  if (!are_sound({x_shape, dx_shape}) || !are_sound({y_shape, dy_shape}) || !fit_pool(*p, *x_shape, *y_shape, shape))
    return bad_param;
  return perform(h, "cudnnPoolingBackward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x), given = reads(r, *dy_shape, dy);
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0));
    return r.perform([=](const view& v) {
      std::vector<double> values(static_cast<std::size_t>(count_of(to.shape)));
      pool_back(shape, from.numbers<double>(v), given.numbers<double>(v), values);
      to.put(v, values);
    });
  });
}

namespace {

// Computes k + alpha / n * s, where s is the sum of the squares of the n channels around each channel.
std::vector<double> response_bases(const local_response& l, const tensor& t, const std::vector<double>& x) {
  const softmax_groups g = groups_of(t, softmax_channel);
  const index_t after = static_cast<index_t>(l.window) - 1 - (static_cast<index_t>(l.window) - 1) / 2,
                before = (static_cast<index_t>(l.window) - 1) / 2;
  std::vector<double> bases(x.size());
  g.for_each([&](index_t first) {
    for (index_t c = 0; c < g.length; ++c) {
      double sum = 0;
      for (index_t o = std::max<index_t>(c - before, 0); o <= std::min(c + after, g.length - 1); ++o)
        sum += x[first + o * g.inner] * x[first + o * g.inner];
      bases[first + c * g.inner] = l.k + l.alpha / l.window * sum;
    }
  });
  return bases;
}

}  // namespace

CUDA_API int cudnnLRNCrossChannelForward(const handle* h, const local_response* l, int, const void* alpha,
                                         const tensor* x_shape, const void* x, const void* beta, const tensor* y_shape,
                                         void* y) {
  if (l == nullptr) return bad_param_null;
  if (!are_sound({x_shape, y_shape})) return bad_param;
  return perform(h, "cudnnLRNCrossChannelForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=, how = *l](const view& v) {
      std::vector<double> values = from.numbers<double>(v);
      const std::vector<double> bases = response_bases(how, from.shape, values);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= std::pow(bases[i], -how.beta);
      to.put(v, values);
    });
  });
}
CUDA_API int cudnnLRNCrossChannelBackward(const handle* h, const local_response* l, int, const void* alpha,
                                          const tensor* y_shape, const void* y, const tensor* dy_shape, const void* dy,
                                          const tensor* x_shape, const void* x, const void* beta,
                                          const tensor* dx_shape, void* dx) {
  if (l == nullptr) return bad_param_null;
  if (!are_sound({x_shape, y_shape, dy_shape, dx_shape})) return bad_param;
  return perform(h, "cudnnLRNCrossChannelBackward", [&](routine& r) {
    const operand in = reads(r, *x_shape, x), out = reads(r, *y_shape, y), given = reads(r, *dy_shape, dy);
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0));
    return r.perform([=, how = *l](const view& v) {
      const std::vector<double> from = in.numbers<double>(v), results = out.numbers<double>(v),
                                slopes = given.numbers<double>(v), bases = response_bases(how, in.shape, from);
      const softmax_groups g = groups_of(in.shape, softmax_channel);
      // The channels whose windows contain this channel. If windows have one channel more on one side, this range has
      // one channel more on the other side.
      const index_t before = static_cast<index_t>(how.window) - 1 - (static_cast<index_t>(how.window) - 1) / 2,
                    after = (static_cast<index_t>(how.window) - 1) / 2;
      std::vector<double> made(from.size());
      g.for_each([&](index_t first) {
        for (index_t c = 0; c < g.length; ++c) {
          const index_t at = first + c * g.inner;
          double sum = 0;
          for (index_t o = std::max<index_t>(c - before, 0); o <= std::min(c + after, g.length - 1); ++o)
            sum += slopes[first + o * g.inner] * results[first + o * g.inner] / bases[first + o * g.inner];
          made[at] =
              slopes[at] * std::pow(bases[at], -how.beta) - 2 * how.alpha * how.beta / how.window * from[at] * sum;
        }
      });
      to.put(v, made);
    });
  });
}

// --- dropout

CUDA_API int cudnnCreateDropoutDescriptor(dropout** made) { return create(made); }
CUDA_API int cudnnDestroyDropoutDescriptor(dropout* d) { return destroy(d); }
CUDA_API int cudnnDropoutGetStatesSize(const handle*, std::size_t* bytes) {
  if (bytes == nullptr) return bad_param_null;
  *bytes = sizeof(dropout_state);
  return success;
}
CUDA_API int cudnnDropoutGetReserveSpaceSize(const tensor* x, std::size_t* bytes) {
  if (x == nullptr || bytes == nullptr) return bad_param_null;
  *bytes = static_cast<std::size_t>(count_of(*x));
  return success;
}
CUDA_API int cudnnRestoreDropoutDescriptor(dropout* d, const handle*, float probability, void* states,
                                           std::size_t bytes, unsigned long long seed) {
  if (d == nullptr) return bad_param_null;
  if (!(probability >= 0 && probability <= 1) || (states != nullptr && bytes < sizeof(dropout_state))) return bad_param;
  *d = {probability, reinterpret_cast<std::uint64_t>(states), bytes, seed};
  return success;
}
CUDA_API int cudnnSetDropoutDescriptor(dropout* d, const handle* h, float probability, void* states, std::size_t bytes,
                                       unsigned long long seed) {
  if (const int s = cudnnRestoreDropoutDescriptor(d, h, probability, states, bytes, seed); s != success) return s;
  if (states == nullptr) return success;
  return perform(h, "cudnnSetDropoutDescriptor", [&](routine& r) {
    const place<std::byte> to = r.writes_bytes(states, sizeof(dropout_state));
    return r.perform([=](const view& v) { bankwise::math::store(to.at(v), dropout_state{seed, 0}); });
  });
}
CUDA_API int cudnnGetDropoutDescriptor(const dropout* d, const handle*, float* probability, void** states,
                                       unsigned long long* seed) {
  if (d == nullptr) return bad_param_null;
  give(probability, d->probability);
  if (states != nullptr) *states = reinterpret_cast<void*>(d->states);
  give(seed, d->seed);
  return success;
}
CUDA_API int cudnnDropoutForward(const handle* h, const dropout* d, const tensor* x_shape, const void* x,
                                 const tensor* y_shape, void* y, void* reserve, std::size_t bytes) {
  if (d == nullptr || reserve == nullptr) return bad_param_null;
  if (!are_sound({x_shape, y_shape}) || bytes < static_cast<std::size_t>(count_of(*x_shape))) return bad_param;
  return perform(h, "cudnnDropoutForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x);
    const result to = writes(r, *y_shape, y);
    const place<std::byte> kept = r.writes_bytes(reserve, count_of(*x_shape));
    const place<std::byte> states = r.writes_bytes(reinterpret_cast<void*>(d->states), sizeof(dropout_state));
    return r.perform([=, probability = d->probability](const view& v) {
      std::vector<double> values = from.numbers<double>(v);
      const std::vector<float> factors = next_mask(states.at(v), probability, values.size());
      std::byte* const to_keep = kept.at(v);
      for (std::size_t i = 0; i < values.size(); ++i) {
        to_keep[i] = static_cast<std::byte>(factors[i] != 0);
        values[i] = factors[i] != 0 ? values[i] * static_cast<double>(factors[i]) : 0;
      }
      to.put(v, values);
    });
  });
}
CUDA_API int cudnnDropoutBackward(const handle* h, const dropout* d, const tensor* dy_shape, const void* dy,
                                  const tensor* dx_shape, void* dx, void* reserve, std::size_t bytes) {
  if (d == nullptr || reserve == nullptr) return bad_param_null;
  if (!are_sound({dy_shape, dx_shape}) || bytes < static_cast<std::size_t>(count_of(*dy_shape))) return bad_param;
  return perform(h, "cudnnDropoutBackward", [&](routine& r) {
    const operand from = reads(r, *dy_shape, dy);
    const place<const std::byte> kept = r.reads_bytes(reserve, count_of(*dy_shape));
    const result to = writes(r, *dx_shape, dx);
    return r.perform([=, probability = static_cast<double>(d->probability)](const view& v) {
      std::vector<double> values = from.numbers<double>(v);
      const std::byte* const were_kept = kept.at(v);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = were_kept[i] != std::byte{0} ? values[i] / (1 - probability) : 0;
      to.put(v, values);
    });
  });
}
