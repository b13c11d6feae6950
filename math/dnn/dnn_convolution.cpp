// cuDNN's convolutions: forward pass, gradients, and convolution with bias and activation. The functions that choose an
// algorithm always return the same algorithm.
#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"

using namespace bankwise::dnn;

namespace bankwise::dnn {

fitted fit(const convolution& c, const tensor& x, const filter& w, const tensor& y) {
  fitted f;
  const tensor& of_filter = w.shape;
  const auto wrong = [&](const char* what) {
    f.wrong = what;
    return f;
  };
  if (!is_sound(x) || !is_sound(of_filter) || !is_sound(y)) return wrong("one of the tensors is not set");
  // A descriptor may have more axes than the tensors, such as 4 axes for tensors of 1 dimension.
  const int axes = x.rank - 2;
  if (axes < 1 || axes > most_axes || of_filter.rank != x.rank || y.rank != x.rank || c.rank != axes)
    return wrong("the tensors do not have the dimensions of the convolution");
  const index_t groups = c.groups;
  if (groups < 1 || x.dims[1] != of_filter.dims[1] * groups || of_filter.dims[0] % groups != 0)
    return wrong("channels, filters and groups do not match");
  if (y.dims[0] != x.dims[0] || y.dims[1] != of_filter.dims[0]) return wrong("images or channels do not match");
  convolution_shape& s = f.shape;
  s.images = x.dims[0];
  s.groups = groups;
  s.in_channels = of_filter.dims[1];
  s.out_channels = of_filter.dims[0] / groups;
  s.flipped = c.mode == convolution_flipped;
  for (int a = 0; a < axes; ++a) {
    const int to = most_axes - axes + a;
    s.in[to] = x.dims[a + 2];
    s.out[to] = y.dims[a + 2];
    s.filter[to] = of_filter.dims[a + 2];
    s.before[to] = c.before[a];
    s.stride[to] = c.stride[a];
    s.dilation[to] = c.dilation[a];
  }
  return f;
}

}  // namespace bankwise::dnn

namespace {

// Checks the sizes that a program must pass. The padding is the same at both ends.
fitted fit_evenly(const convolution& c, const tensor& x, const filter& w, const tensor& y) {
  fitted f = fit(c, x, w, y);
  if (f.wrong != nullptr) return f;
  const convolution_shape& s = f.shape;
  for (int a = 0; a < most_axes; ++a) {
    const index_t needed = 1 + (s.filter[a] - 1) * s.dilation[a];
    if (s.in[a] + 2 * s.before[a] < needed ||
        s.out[a] != results_of(s.in[a], 2 * s.before[a], s.filter[a], s.stride[a], s.dilation[a]))
      f.wrong = "the size of the result does not match the convolution";
  }
  return f;
}

status say_wrong(const char* name, const char* what) {
  return refuse(bankwise::formatted("{} where {}", name, what), bad_param);
}

}  // namespace

CUDA_API int cudnnConvolutionForward(const handle* h, const void* alpha, const tensor* x_shape, const void* x,
                                     const filter* w_shape, const void* w, const convolution* c, int, void*,
                                     std::size_t, const void* beta, const tensor* y_shape, void* y) {
  if (x_shape == nullptr || w_shape == nullptr || c == nullptr || y_shape == nullptr) return bad_param_null;
  const char* const name = "cudnnConvolutionForward";
  const fitted f = fit_evenly(*c, *x_shape, *w_shape, *y_shape);
  if (f.wrong != nullptr) return say_wrong(name, f.wrong);
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    r.work(gpu_work(f.shape, gpu_arithmetic(x_shape->type)));
    const operand from = reads(r, *x_shape, x), with = reads(r, w_shape->shape, w);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=, s = f.shape](const view& v) {
      in_type_of(from.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> result_of(static_cast<std::size_t>(count_of(to.shape)));
        convolve(s, from.numbers<T>(v).data(), with.numbers<T>(v).data(), result_of.data());
        to.put(v, result_of);
      });
    });
  });
}

CUDA_API int cudnnConvolutionBackwardData(const handle* h, const void* alpha, const filter* w_shape, const void* w,
                                          const tensor* dy_shape, const void* dy, const convolution* c, int, void*,
                                          std::size_t, const void* beta, const tensor* dx_shape, void* dx) {
  if (dx_shape == nullptr || w_shape == nullptr || c == nullptr || dy_shape == nullptr) return bad_param_null;
  const char* const name = "cudnnConvolutionBackwardData";
  const fitted f = fit_evenly(*c, *dx_shape, *w_shape, *dy_shape);
  if (f.wrong != nullptr) return say_wrong(name, f.wrong);
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    r.work(gpu_work(f.shape, gpu_arithmetic(dy_shape->type)));
    const operand from = reads(r, *dy_shape, dy), with = reads(r, w_shape->shape, w);
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0));
    return r.perform([=, s = f.shape](const view& v) {
      in_type_of(from.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> result_of(static_cast<std::size_t>(count_of(to.shape)));
        convolve_back(s, with.numbers<T>(v).data(), from.numbers<T>(v).data(), result_of.data());
        to.put(v, result_of);
      });
    });
  });
}

CUDA_API int cudnnConvolutionBackwardFilter(const handle* h, const void* alpha, const tensor* x_shape, const void* x,
                                            const tensor* dy_shape, const void* dy, const convolution* c, int, void*,
                                            std::size_t, const void* beta, const filter* dw_shape, void* dw) {
  if (x_shape == nullptr || dw_shape == nullptr || c == nullptr || dy_shape == nullptr) return bad_param_null;
  const char* const name = "cudnnConvolutionBackwardFilter";
  const fitted f = fit_evenly(*c, *x_shape, *dw_shape, *dy_shape);
  if (f.wrong != nullptr) return say_wrong(name, f.wrong);
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    r.work(gpu_work(f.shape, gpu_arithmetic(x_shape->type)));
    const operand images = reads(r, *x_shape, x), from = reads(r, *dy_shape, dy);
    const tensor& shape = dw_shape->shape;
    const result to = writes(r, shape, dw, factor(shape, alpha, 1), factor(shape, beta, 0));
    return r.perform([=, s = f.shape](const view& v) {
      in_type_of(from.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> result_of(static_cast<std::size_t>(count_of(to.shape)));
        convolve_filter(s, images.numbers<T>(v).data(), from.numbers<T>(v).data(), result_of.data());
        to.put(v, result_of);
      });
    });
  });
}

CUDA_API int cudnnConvolutionBackwardBias(const handle* h, const void* alpha, const tensor* dy_shape, const void* dy,
                                          const void* beta, const tensor* db_shape, void* db) {
  if (dy_shape == nullptr || db_shape == nullptr) return bad_param_null;
  if (!is_sound(*dy_shape) || !is_sound(*db_shape) || dy_shape->rank < 2 || db_shape->rank < 2 ||
      count_of(*db_shape) != dy_shape->dims[1] || db_shape->dims[1] != dy_shape->dims[1])
    return bad_param;
  return perform(h, "cudnnConvolutionBackwardBias", [&](routine& r) {
    const operand from = reads(r, *dy_shape, dy);
    const result to = writes(r, *db_shape, db, factor(*dy_shape, alpha, 1), factor(*dy_shape, beta, 0));
    return r.perform([=](const view& v) {
      const std::vector<double> given = from.numbers<double>(v);
      const index_t images = from.shape.dims[0], channels = from.shape.dims[1],
                    pixels = count_of(from.shape) / (images * channels);
      std::vector<double> sums(static_cast<std::size_t>(channels));
      for (index_t i = 0; i < images * channels; ++i)
        for (index_t p = 0; p < pixels; ++p) sums[i % channels] += given[i * pixels + p];
      to.put(v, sums);
    });
  });
}

// Computes y = activation(alpha1 * convolution + alpha2 * z + bias).
CUDA_API int cudnnConvolutionBiasActivationForward(const handle* h, const void* alpha1, const tensor* x_shape,
                                                   const void* x, const filter* w_shape, const void* w,
                                                   const convolution* c, int, void*, std::size_t, const void* alpha2,
                                                   const tensor* z_shape, const void* z, const tensor* bias_shape,
                                                   const void* bias, const activation* a, const tensor* y_shape,
                                                   void* y) {
  if (x_shape == nullptr || w_shape == nullptr || c == nullptr || z_shape == nullptr || bias_shape == nullptr ||
      a == nullptr || y_shape == nullptr)
    return bad_param_null;
  const char* const name = "cudnnConvolutionBiasActivationForward";
  const fitted f = fit_evenly(*c, *x_shape, *w_shape, *y_shape);
  if (f.wrong != nullptr) return say_wrong(name, f.wrong);
  if (!is_sound(*bias_shape) || count_of(*bias_shape) != y_shape->dims[1]) return bad_param;
  const double of_sum = factor(*y_shape, alpha1, 1), of_z = factor(*y_shape, alpha2, 0);
  if (of_z != 0 && (!is_sound(*z_shape) || !same_dims(*z_shape, *y_shape))) return bad_param;
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    r.work(gpu_work(f.shape, gpu_arithmetic(x_shape->type)));
    const operand from = reads(r, *x_shape, x), with = reads(r, w_shape->shape, w), added = reads(r, *bias_shape, bias);
    const operand blended = of_z != 0 ? reads(r, *z_shape, z) : operand();
    const result to = writes(r, *y_shape, y);
    return r.perform([=, s = f.shape, how = *a](const view& v) {
      in_type_of(from.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> sums(static_cast<std::size_t>(count_of(to.shape)));
        convolve(s, from.numbers<T>(v).data(), with.numbers<T>(v).data(), sums.data());
        const std::vector<T> biases = added.numbers<T>(v), other = of_z != 0 ? blended.numbers<T>(v) : std::vector<T>();
        const index_t channels = to.shape.dims[1], pixels = s.results();
        for (index_t i = 0; i < static_cast<index_t>(sums.size()); ++i) {
          double value = of_sum * sums[i] + biases[i / pixels % channels];
          if (of_z != 0) value += of_z * other[i];
          sums[i] = static_cast<T>(activate(how, value));
        }
        to.put(v, sums);
      });
    });
  });
}

// --- the algorithm: the first algorithm in cuDNN's list that is deterministic and needs no workspace

namespace {

status answer_algorithms(int algorithm, const convolution* c, int requested, int* returned, algorithm_result* results) {
  if (c == nullptr || returned == nullptr || results == nullptr) return bad_param_null;
  if (requested < 1) return bad_param;
  results[0] = {algorithm, success, 0.01f, 0, 1, c->math_type, {}};
  *returned = 1;
  return success;
}
status answer_count(int* count) {
  if (count == nullptr) return bad_param_null;
  *count = 1;
  return success;
}
constexpr int implicit_gemm_precomputed = 1, back_data_1 = 1, back_filter_1 = 1;

}  // namespace

#define ALGORITHMS(Which, A, B, D, number)                                                                       \
  CUDA_API int cudnnGetConvolution##Which##AlgorithmMaxCount(const handle*, int* count) {                        \
    return answer_count(count);                                                                                  \
  }                                                                                                              \
  CUDA_API int cudnnGetConvolution##Which##Algorithm_v7(const handle*, const A*, const B*, const convolution* c, \
                                                        const D*, int requested, int* returned,                  \
                                                        algorithm_result* results) {                             \
    return answer_algorithms(number, c, requested, returned, results);                                           \
  }                                                                                                              \
  CUDA_API int cudnnFindConvolution##Which##Algorithm(const handle*, const A*, const B*, const convolution* c,   \
                                                      const D*, int requested, int* returned,                    \
                                                      algorithm_result* results) {                               \
    return answer_algorithms(number, c, requested, returned, results);                                           \
  }                                                                                                              \
  CUDA_API int cudnnFindConvolution##Which##AlgorithmEx(                                                         \
      const handle*, const A*, const void*, const B*, const void*, const convolution* c, const D*, void*,        \
      int requested, int* returned, algorithm_result* results, void*, std::size_t) {                             \
    return answer_algorithms(number, c, requested, returned, results);                                           \
  }                                                                                                              \
  CUDA_API int cudnnGetConvolution##Which##WorkspaceSize(const handle*, const A*, const B*, const convolution*,  \
                                                         const D*, int, std::size_t* bytes) {                    \
    return no_bytes(bytes);                                                                                      \
  }
ALGORITHMS(Forward, tensor, filter, tensor, implicit_gemm_precomputed)
ALGORITHMS(BackwardData, filter, tensor, tensor, back_data_1)
ALGORITHMS(BackwardFilter, tensor, tensor, filter, back_filter_1)
