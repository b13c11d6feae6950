// cuDNN's batch normalisation: training, inference and gradients. An addition and an activation are optional.
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/numerics/normalisation.hpp"

using namespace bankwise::dnn;

namespace {

bool knows_ops(int ops) { return ops >= norm_alone && ops <= norm_add_activation; }
bool knows_mode(int mode) { return mode >= per_activation && mode <= spatial_persistent; }

// Returns the shape of a scale, which has one number for each channel, or for each element of an image.
tensor derive(const tensor& x, int mode) {
  tensor t = x;
  t.type = x.type == f64 ? f64 : f32;
  t.dims[0] = 1;
  if (mode != per_activation)
    for (int d = 2; d < x.rank; ++d) t.dims[d] = 1;
  set_packed_strides(t, nchw);
  return t;
}
bool fits(int mode, const tensor& x, const tensor& scale) {
  return is_sound(x) && is_sound(scale) && x.rank >= 2 && count_of(derive(x, mode)) == count_of(scale);
}

struct training {
  int mode, ops;
  const void *alpha, *beta;
  const tensor* x_shape;
  const void* x;
  const tensor* z_shape;
  const void* z;
  const tensor* y_shape;
  void* y;
  const tensor* scale_shape;
  const void *scale, *bias;
  double average;
  void *running_mean, *running_variance;
  double epsilon;
  void *saved_mean, *saved_inverse;
  const activation* function;
};

status train(const handle* h, const char* name, const training& t) {
  if (t.x_shape == nullptr || t.y_shape == nullptr || t.scale_shape == nullptr) return bad_param_null;
  if (!knows_mode(t.mode) || !knows_ops(t.ops)) return bad_param;
  if (!fits(t.mode, *t.x_shape, *t.scale_shape) || !is_sound(*t.y_shape) || !same_dims(*t.x_shape, *t.y_shape))
    return bad_param;
  if (t.ops != norm_alone && t.function == nullptr) return bad_param_null;
  const bool adds = t.ops == norm_add_activation;
  if (adds && (t.z_shape == nullptr || !is_sound(*t.z_shape) || !same_dims(*t.z_shape, *t.x_shape))) return bad_param;
  if ((t.running_mean == nullptr) != (t.running_variance == nullptr) ||
      (t.saved_mean == nullptr) != (t.saved_inverse == nullptr))
    return bad_param;
  return perform(h, name, [&](routine& r) {
    const tensor& of_scale = *t.scale_shape;
    const operand x = reads(r, *t.x_shape, t.x), scale = reads(r, of_scale, t.scale), bias = reads(r, of_scale, t.bias),
                  z = adds ? reads(r, *t.z_shape, t.z) : operand();
    const result y = writes(r, *t.y_shape, t.y, factor(*t.y_shape, t.alpha, 1), factor(*t.y_shape, t.beta, 0));
    result mean, variance, saved_mean, saved_inverse;
    if (t.running_mean != nullptr) {
      mean = writes(r, of_scale, t.running_mean, t.average, 1 - t.average);
      variance = writes(r, of_scale, t.running_variance, t.average, 1 - t.average);
    }
    if (t.saved_mean != nullptr) {
      saved_mean = writes(r, of_scale, t.saved_mean);
      saved_inverse = writes(r, of_scale, t.saved_inverse);
    }
    const norm_shape shape(*t.x_shape, derive(*t.x_shape, t.mode), derive(*t.x_shape, t.mode));
    const activation function = t.function != nullptr && t.ops != norm_alone ? *t.function : no_activation();
    return r.perform([=, epsilon = t.epsilon](const view& v) {
      in_type_of(x.shape, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<T> from = x.numbers<T>(v);
        norm_statistics s = statistics_of(shape, from);
        const std::vector<double> inverse = s.inverse_deviation(epsilon);
        std::vector<T> made =
            normalised(shape, from, s.mean, inverse, scale.numbers<double>(v), bias.numbers<double>(v));
        if (adds) {
          const std::vector<T> added = z.numbers<T>(v);
          for (std::size_t i = 0; i < made.size(); ++i) made[i] += added[i];
        }
        if (function.mode != identity)
          for (T& value : made) value = static_cast<T>(activate(function, static_cast<double>(value)));
        y.put(v, made);
        saved_mean.put(v, s.mean);
        saved_inverse.put(v, inverse);
        const double count = shape.per_mean();
        for (double& one : s.variance) one *= count / std::max(count - 1, 1.0);
        mean.put(v, s.mean);
        variance.put(v, s.variance);
      });
    });
  });
}

struct inference {
  int mode, ops;
  const void *alpha, *beta;
  const tensor* x_shape;
  const void* x;
  const tensor* z_shape;
  const void* z;
  const tensor* y_shape;
  void* y;
  const tensor* scale_shape;
  const void *scale, *bias;
  const tensor* mean_shape;
  const void *mean, *variance;
  double epsilon;
  const activation* function;
};
status infer(const handle* h, const char* name, const inference& t) {
  if (t.x_shape == nullptr || t.y_shape == nullptr || t.scale_shape == nullptr || t.mean_shape == nullptr)
    return bad_param_null;
  if (!knows_mode(t.mode) || !knows_ops(t.ops)) return bad_param;
  if (!fits(t.mode, *t.x_shape, *t.scale_shape) || !fits(t.mode, *t.x_shape, *t.mean_shape) || !is_sound(*t.y_shape) ||
      !same_dims(*t.x_shape, *t.y_shape))
    return bad_param;
  if (t.ops != norm_alone && t.function == nullptr) return bad_param_null;
  const bool adds = t.ops == norm_add_activation;
  if (adds && (t.z_shape == nullptr || !is_sound(*t.z_shape) || !same_dims(*t.z_shape, *t.x_shape))) return bad_param;
  return perform(h, name, [&](routine& r) {
    const operand x = reads(r, *t.x_shape, t.x), scale = reads(r, *t.scale_shape, t.scale),
                  bias = reads(r, *t.scale_shape, t.bias), mean = reads(r, *t.mean_shape, t.mean),
                  variance = reads(r, *t.mean_shape, t.variance), z = adds ? reads(r, *t.z_shape, t.z) : operand();
    const result y = writes(r, *t.y_shape, t.y, factor(*t.y_shape, t.alpha, 1), factor(*t.y_shape, t.beta, 0));
    const norm_shape shape(*t.x_shape, derive(*t.x_shape, t.mode), derive(*t.x_shape, t.mode));
    const activation function = t.function != nullptr && t.ops != norm_alone ? *t.function : no_activation();
    return r.perform([=, epsilon = t.epsilon](const view& v) {
      in_type_of(x.shape, [&](auto zero) {
        using T = decltype(zero);
        const norm_statistics given{mean.numbers<double>(v), variance.numbers<double>(v)};
        std::vector<T> made = normalised(shape, x.numbers<T>(v), given.mean, given.inverse_deviation(epsilon),
                                         scale.numbers<double>(v), bias.numbers<double>(v));
        if (adds) {
          const std::vector<T> added = z.numbers<T>(v);
          for (std::size_t i = 0; i < made.size(); ++i) made[i] += added[i];
        }
        if (function.mode != identity)
          for (T& value : made) value = static_cast<T>(activate(function, static_cast<double>(value)));
        y.put(v, made);
      });
    });
  });
}

struct gradient {
  int mode, ops;
  const void *alpha, *beta, *alpha_of_scale, *beta_of_scale;
  const tensor* x_shape;
  const void* x;
  const tensor* y_shape;
  const void* y;
  const tensor* dy_shape;
  const void* dy;
  const tensor* dz_shape;
  void* dz;
  const tensor* dx_shape;
  void* dx;
  const tensor* scale_shape;
  const void *scale, *bias;
  void *dscale, *dbias;
  double epsilon;
  const void *mean, *inverse;
  const activation* function;
};
status go_back(const handle* h, const char* name, const gradient& t) {
  if (t.x_shape == nullptr || t.dy_shape == nullptr || t.dx_shape == nullptr || t.scale_shape == nullptr)
    return bad_param_null;
  if (!knows_mode(t.mode) || !knows_ops(t.ops)) return bad_param;
  if (!fits(t.mode, *t.x_shape, *t.scale_shape) || !is_sound(*t.dy_shape) || !is_sound(*t.dx_shape) ||
      !same_dims(*t.x_shape, *t.dy_shape) || !same_dims(*t.x_shape, *t.dx_shape) ||
      (t.mean == nullptr) != (t.inverse == nullptr))
    return bad_param;
  const bool activates = t.ops != norm_alone, adds = t.ops == norm_add_activation;
  if (activates && (t.function == nullptr || t.y_shape == nullptr || t.y == nullptr)) return bad_param_null;
  if (activates && t.function->mode != relu && t.function->mode != identity)
    return refuse(bankwise::formatted("{} with an activation that is not ReLU", name));
  if (adds && (t.dz_shape == nullptr || !is_sound(*t.dz_shape) || !same_dims(*t.dz_shape, *t.x_shape)))
    return bad_param;
  return perform(h, name, [&](routine& r) {
    const tensor& of_scale = *t.scale_shape;
    const operand x = reads(r, *t.x_shape, t.x), dy = reads(r, *t.dy_shape, t.dy), scale = reads(r, of_scale, t.scale),
                  y = activates ? reads(r, *t.y_shape, t.y) : operand();
    const bool saved = t.mean != nullptr;
    const operand mean = saved ? reads(r, of_scale, t.mean) : operand(),
                  inverse = saved ? reads(r, of_scale, t.inverse) : operand();
    const result dx = writes(r, *t.dx_shape, t.dx, factor(*t.dx_shape, t.alpha, 1), factor(*t.dx_shape, t.beta, 0)),
                 dz = adds ? writes(r, *t.dz_shape, t.dz) : result();
    const double alpha = factor(*t.dx_shape, t.alpha_of_scale, 1), beta = factor(*t.dx_shape, t.beta_of_scale, 0);
    const result dscale = writes(r, of_scale, t.dscale, alpha, beta), dbias = writes(r, of_scale, t.dbias, alpha, beta);
    const norm_shape shape(*t.x_shape, derive(*t.x_shape, t.mode), derive(*t.x_shape, t.mode));
    const bool rectified = activates && t.function->mode == relu;
    return r.perform([=, epsilon = t.epsilon](const view& v) {
      in_type_of(x.shape, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<T> from = x.numbers<T>(v);
        std::vector<T> given = dy.numbers<T>(v);
        if (rectified) {
          const std::vector<T> came_out = y.numbers<T>(v);
          for (std::size_t i = 0; i < given.size(); ++i)
            if (!(came_out[i] > 0)) given[i] = 0;
        }
        dz.put(v, given);
        const norm_statistics own = saved ? norm_statistics() : statistics_of(shape, from);
        const auto made = normalised_back(shape, from, given, saved ? mean.numbers<double>(v) : own.mean,
                                          saved ? inverse.numbers<double>(v) : own.inverse_deviation(epsilon),
                                          scale.numbers<double>(v));
        dx.put(v, made.x);
        dscale.put(v, made.scale);
        dbias.put(v, made.bias);
      });
    });
  });
}

}  // namespace

CUDA_API int cudnnDeriveBNTensorDescriptor(tensor* derived, const tensor* x, int mode) {
  if (derived == nullptr || x == nullptr) return bad_param_null;
  if (!is_sound(*x) || !knows_mode(mode)) return bad_param;
  *derived = derive(*x, mode);
  return success;
}
CUDA_API int cudnnDeriveNormTensorDescriptor(tensor* scale, tensor* mean, const tensor* x, int mode, int) {
  if (const int s = cudnnDeriveBNTensorDescriptor(scale, x, mode); s != success) return s;
  return cudnnDeriveBNTensorDescriptor(mean, x, mode);
}

CUDA_API int cudnnBatchNormalizationForwardTraining(const handle* h, int mode, const void* alpha, const void* beta,
                                                    const tensor* x_shape, const void* x, const tensor* y_shape,
                                                    void* y, const tensor* scale_shape, const void* scale,
                                                    const void* bias, double average, void* mean, void* variance,
                                                    double epsilon, void* saved_mean, void* saved_inverse) {
  return train(h, "cudnnBatchNormalizationForwardTraining",
               {mode,  norm_alone, alpha,   beta, x_shape,  x,       nullptr,    nullptr,       y_shape, y, scale_shape,
                scale, bias,       average, mean, variance, epsilon, saved_mean, saved_inverse, nullptr});
}
CUDA_API int cudnnBatchNormalizationForwardTrainingEx(
    const handle* h, int mode, int ops, const void* alpha, const void* beta, const tensor* x_shape, const void* x,
    const tensor* z_shape, const void* z, const tensor* y_shape, void* y, const tensor* scale_shape, const void* scale,
    const void* bias, double average, void* mean, void* variance, double epsilon, void* saved_mean, void* saved_inverse,
    const activation* function, void*, std::size_t, void*, std::size_t) {
  return train(h, "cudnnBatchNormalizationForwardTrainingEx",
               {mode,        ops,   alpha, beta,    x_shape, x,        z_shape, z,          y_shape,       y,
                scale_shape, scale, bias,  average, mean,    variance, epsilon, saved_mean, saved_inverse, function});
}
CUDA_API int cudnnBatchNormalizationForwardInference(const handle* h, int mode, const void* alpha, const void* beta,
                                                     const tensor* x_shape, const void* x, const tensor* y_shape,
                                                     void* y, const tensor* scale_shape, const void* scale,
                                                     const void* bias, const void* mean, const void* variance,
                                                     double epsilon) {
  return infer(h, "cudnnBatchNormalizationForwardInference",
               {mode, norm_alone, alpha, beta, x_shape, x, nullptr, nullptr, y_shape, y, scale_shape, scale, bias,
                scale_shape, mean, variance, epsilon, nullptr});
}
CUDA_API int cudnnBatchNormalizationBackward(const handle* h, int mode, const void* alpha, const void* beta,
                                             const void* alpha_of_scale, const void* beta_of_scale,
                                             const tensor* x_shape, const void* x, const tensor* dy_shape,
                                             const void* dy, const tensor* dx_shape, void* dx,
                                             const tensor* scale_shape, const void* scale, void* dscale, void* dbias,
                                             double epsilon, const void* mean, const void* inverse) {
  return go_back(h, "cudnnBatchNormalizationBackward",
                 {mode,    norm_alone, alpha, beta,    alpha_of_scale, beta_of_scale, x_shape, x,           nullptr,
                  nullptr, dy_shape,   dy,    nullptr, nullptr,        dx_shape,      dx,      scale_shape, scale,
                  nullptr, dscale,     dbias, epsilon, mean,           inverse,       nullptr});
}
CUDA_API int cudnnBatchNormalizationBackwardEx(
    const handle* h, int mode, int ops, const void* alpha, const void* beta, const void* alpha_of_scale,
    const void* beta_of_scale, const tensor* x_shape, const void* x, const tensor* y_shape, const void* y,
    const tensor* dy_shape, const void* dy, const tensor* dz_shape, void* dz, const tensor* dx_shape, void* dx,
    const tensor* scale_shape, const void* scale, const void* bias, void* dscale, void* dbias, double epsilon,
    const void* mean, const void* inverse, const activation* function, void*, std::size_t, void*, std::size_t) {
  return go_back(h, "cudnnBatchNormalizationBackwardEx",
                 {mode,     ops,    alpha,    beta,    alpha_of_scale, beta_of_scale,
                  x_shape,  x,      y_shape,  y,       dy_shape,       dy,
                  dz_shape, dz,     dx_shape, dx,      scale_shape,    scale,
                  bias,     dscale, dbias,    epsilon, mean,           inverse,
                  function});
}

CUDA_API int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(const handle*, int, int, const tensor*,
                                                                      const tensor*, const tensor*, const tensor*,
                                                                      const activation*, std::size_t* bytes) {
  return no_bytes(bytes);
}
CUDA_API int cudnnGetBatchNormalizationBackwardExWorkspaceSize(const handle*, int, int, const tensor*, const tensor*,
                                                               const tensor*, const tensor*, const tensor*,
                                                               const tensor*, const activation*, std::size_t* bytes) {
  return no_bytes(bytes);
}
CUDA_API int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(const handle*, int, int, const activation*,
                                                                  const tensor*, std::size_t* bytes) {
  return no_bytes(bytes);
}

// --- the same functions under newer names

CUDA_API int cudnnNormalizationForwardInference(const handle* h, int mode, int ops, int, const void* alpha,
                                                const void* beta, const tensor* x_shape, const void* x,
                                                const tensor* scale_shape, const void* scale, const void* bias,
                                                const tensor* mean_shape, const void* mean, const void* variance,
                                                const tensor* z_shape, const void* z, const activation* function,
                                                const tensor* y_shape, void* y, double epsilon, int) {
  return infer(h, "cudnnNormalizationForwardInference",
               {mode, ops, alpha, beta, x_shape, x, z_shape, z, y_shape, y, scale_shape, scale, bias, mean_shape, mean,
                variance, epsilon, function});
}
CUDA_API int cudnnNormalizationForwardTraining(
    const handle* h, int mode, int ops, int, const void* alpha, const void* beta, const tensor* x_shape, const void* x,
    const tensor* scale_shape, const void* scale, const void* bias, double average, const tensor*, void* mean,
    void* variance, double epsilon, void* saved_mean, void* saved_inverse, const activation* function,
    const tensor* z_shape, const void* z, const tensor* y_shape, void* y, void*, std::size_t, void*, std::size_t, int) {
  return train(h, "cudnnNormalizationForwardTraining",
               {mode,        ops,   alpha, beta,    x_shape, x,        z_shape, z,          y_shape,       y,
                scale_shape, scale, bias,  average, mean,    variance, epsilon, saved_mean, saved_inverse, function});
}
CUDA_API int cudnnNormalizationBackward(const handle* h, int mode, int ops, int, const void* alpha, const void* beta,
                                        const void* alpha_of_scale, const void* beta_of_scale, const tensor* x_shape,
                                        const void* x, const tensor* y_shape, const void* y, const tensor* dy_shape,
                                        const void* dy, const tensor* dz_shape, void* dz, const tensor* dx_shape,
                                        void* dx, const tensor* scale_shape, const void* scale, const void* bias,
                                        void* dscale, void* dbias, double epsilon, const tensor*, const void* mean,
                                        const void* inverse, const activation* function, void*, std::size_t, void*,
                                        std::size_t, int) {
  return go_back(h, "cudnnNormalizationBackward", {mode,     ops,    alpha,    beta,    alpha_of_scale, beta_of_scale,
                                                   x_shape,  x,      y_shape,  y,       dy_shape,       dy,
                                                   dz_shape, dz,     dx_shape, dx,      scale_shape,    scale,
                                                   bias,     dscale, dbias,    epsilon, mean,           inverse,
                                                   function});
}
CUDA_API int cudnnGetNormalizationForwardTrainingWorkspaceSize(const handle*, int, int, int, const tensor*,
                                                               const tensor*, const tensor*, const tensor*,
                                                               const activation*, const tensor*, std::size_t* bytes,
                                                               int) {
  return no_bytes(bytes);
}
CUDA_API int cudnnGetNormalizationBackwardWorkspaceSize(const handle*, int, int, int, const tensor*, const tensor*,
                                                        const tensor*, const tensor*, const tensor*, const tensor*,
                                                        const activation*, const tensor*, std::size_t* bytes, int) {
  return no_bytes(bytes);
}
CUDA_API int cudnnGetNormalizationTrainingReserveSpaceSize(const handle*, int, int, int, const activation*,
                                                           const tensor*, std::size_t* bytes, int) {
  return no_bytes(bytes);
}
