// Pooling of images of one to three dimensions: the largest element of each window, or the average.
#pragma once

#include "math/dnn/dnn_tensor.hpp"
#include "math/dnn/numerics/convolution.hpp"

namespace bankwise::dnn {

struct pool_shape {
  int mode = pool_max;
  index_t images = 1;  // number of images times channels
  index_t in[most_axes] = {1, 1, 1}, out[most_axes] = {1, 1, 1};
  index_t window[most_axes] = {1, 1, 1}, before[most_axes] = {}, stride[most_axes] = {1, 1, 1};

  bool fit(const tensor& x, const tensor& y, const std::vector<index_t>& window_of, const std::vector<index_t>& padding,
           const std::vector<index_t>& steps);
};

template <class T>
void pool(const pool_shape& p, const std::vector<T>& x, std::vector<T>& y);
// If several elements of a window are the largest, the first of these gets the gradient.
template <class T>
void pool_back(const pool_shape& p, const std::vector<T>& x, const std::vector<T>& dy, std::vector<T>& dx);

}  // namespace bankwise::dnn
