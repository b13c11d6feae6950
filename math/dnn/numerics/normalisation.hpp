// Normalisation of batches, layers and instances. If all elements along a dimension share a mean or a scale, the mean
// or scale has size 1 in this dimension:
//
//     x  8 x 16 x 10 x 10      batch   mean 1 x 16 x 1 x 1, scale 1 x 16 x 1 x 1
//                              layer   mean 8 x 1 x 1 x 1,  scale 1 x 16 x 10 x 10
//
// Sums are computed as doubles, and rounded once.
#pragma once

#include "math/dnn/dnn_tensor.hpp"

namespace bankwise::dnn {

struct norm_shape {
  spread_index means, scales;  // indices in the order of x
  index_t elements = 0, mean_count = 0, scale_count = 0;
  bool around_zero = false;  // whether x is divided by the root of its mean square, without subtracting the mean

  norm_shape(const tensor& x, const tensor& mean, const tensor& scale)
      : means(mean, x),
        scales(scale, x),
        elements(count_of(x)),
        mean_count(count_of(mean)),
        scale_count(count_of(scale)) {}
  bool fits() const { return means.fits() && scales.fits(); }
  double per_mean() const { return static_cast<double>(elements) / static_cast<double>(mean_count); }
};

struct norm_statistics {
  std::vector<double> mean, variance;  // the variance is divided by n, not by n - 1

  std::vector<double> inverse_deviation(double epsilon) const;
};

template <class T>
norm_statistics statistics_of(const norm_shape& s, const std::vector<T>& x);

// Computes (x - mean) * inverse deviation * scale + bias. `bias` may be empty.
template <class T>
std::vector<T> normalised(const norm_shape& s, const std::vector<T>& x, const std::vector<double>& mean,
                          const std::vector<double>& inverse, const std::vector<double>& scale,
                          const std::vector<double>& bias);

template <class T>
struct norm_gradients {
  std::vector<T> x;
  std::vector<double> scale, bias;
};
template <class T>
norm_gradients<T> normalised_back(const norm_shape& s, const std::vector<T>& x, const std::vector<T>& dy,
                                  const std::vector<double>& mean, const std::vector<double>& inverse,
                                  const std::vector<double>& scale);

}  // namespace bankwise::dnn
