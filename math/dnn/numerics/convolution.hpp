// Convolutions of images of one to three dimensions, computed as products of matrices. A column of a matrix is the
// window of one pixel of the result.
//
//     x  2 images, 3 channels, 5 x 7            filter 4 x 3 x 3 x 3, padding 1, stride 2
//     y  2 images, 4 channels, 3 x 4            y = filter (4 rows of 27) * windows (27 rows of 12)
//
// Arrays have no gaps. The images are one after another, and so are the channels of an image. One thread computes each
// image and group.
#pragma once

#include "math/common/products.hpp"
#include "runtime/library_call.hpp"

namespace bankwise::dnn {

using math::index_t;

inline constexpr int most_axes = 3;

struct convolution_shape {
  index_t images = 1, groups = 1;
  index_t in_channels = 1, out_channels = 1;  // channels of a group
  index_t in[most_axes] = {1, 1, 1}, out[most_axes] = {1, 1, 1}, filter[most_axes] = {1, 1, 1};
  index_t before[most_axes] = {}, stride[most_axes] = {1, 1, 1}, dilation[most_axes] = {1, 1, 1};
  bool flipped = false;  // whether the last element of the filter multiplies the first element of the window

  index_t pixels() const { return in[0] * in[1] * in[2]; }
  index_t results() const { return out[0] * out[1] * out[2]; }
  index_t taps() const { return filter[0] * filter[1] * filter[2]; }
  index_t window() const { return in_channels * taps(); }
};

// Returns what a GPU computes in the convolution or one of its gradients, as products of matrices without windows in
// memory.
cuda::library_work gpu_work(const convolution_shape& s, cuda::arithmetic in);

template <class T>
void convolve(const convolution_shape& s, const T* x, const T* w, T* y);
// Computes the gradient with respect to x, and the gradient with respect to the filter.
template <class T>
void convolve_back(const convolution_shape& s, const T* w, const T* dy, T* dx);
template <class T>
void convolve_filter(const convolution_shape& s, const T* x, const T* dy, T* dw);

}  // namespace bankwise::dnn
