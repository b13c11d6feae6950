// The contents of cuDNN's descriptors, which programs create and pass by address.
#pragma once

#include <cstdint>

#include "math/dnn/dnn_call.hpp"
#include "math/dnn/numerics/convolution.hpp"

namespace bankwise::dnn {

struct filter {
  tensor shape;  // dimensions: outputs, inputs of a group, sizes of the window
  int format = nchw;
};

struct convolution {
  int rank = 0, mode = cross_correlation, computed = f32, math_type = 0, groups = 1, reorder = 0;
  index_t before[most_axes] = {}, stride[most_axes] = {1, 1, 1}, dilation[most_axes] = {1, 1, 1};
};

struct pooling {
  int mode = pool_max, nan = 0, rank = 0;
  index_t window[most_axes] = {1, 1, 1}, before[most_axes] = {}, stride[most_axes] = {1, 1, 1};
};

struct activation {
  int mode = identity, nan = 0;
  double coefficient = 0, swish_beta = 1;
};

struct local_response {
  unsigned window = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};

struct dropout {
  float probability = 0;
  std::uint64_t states = 0;  // device address of the state
  std::size_t bytes = 0;
  unsigned long long seed = 0;
};

struct op_description {
  int op = op_add, computed = f32, nan = 0;
};
struct reduction {
  int op = reduce_add, computed = f32, nan = 0, indices = 0, index_type = 0;
};
struct spatial_transformer {
  int sampler = 0, type = f32, rank = 0;
  index_t dims[most_dimensions] = {};
};
struct ctc_loss {
  int computed = f32, normalisation = of_probabilities, gradient = zero_gradient, longest_label = 0;
};

inline activation no_activation() { return {}; }
// Computes an activation function, and its derivative from the input and the output.
double activate(const activation& a, double x);
double activation_slope(const activation& a, double x, double y);

// The shape of a convolution whose images, filters and results match. Otherwise, `wrong` describes the first mismatch.
struct fitted {
  convolution_shape shape;
  const char* wrong = nullptr;
};
fitted fit(const convolution& c, const tensor& x, const filter& w, const tensor& y);
// Returns the number of results of a convolution in one dimension. `padding` is the sum of the padding at both ends.
inline index_t results_of(index_t in, index_t padding, index_t window, index_t stride, index_t dilation) {
  return 1 + (in + padding - (1 + (window - 1) * dilation)) / stride;
}

}  // namespace bankwise::dnn
