#include "math/dnn/numerics/normalisation.hpp"

#include <cmath>

namespace bankwise::dnn {

namespace {

std::vector<double> zeros(index_t count) { return std::vector<double>(static_cast<std::size_t>(count)); }

}  // namespace

std::vector<double> norm_statistics::inverse_deviation(double epsilon) const {
  std::vector<double> inverse = variance;
  for (double& v : inverse) v = 1 / std::sqrt(v + epsilon);
  return inverse;
}

template <class T>
norm_statistics statistics_of(const norm_shape& s, const std::vector<T>& x) {
  norm_statistics made{zeros(s.mean_count), zeros(s.mean_count)};
  const double count = s.per_mean();
  if (!s.around_zero) {
    s.means.for_each([&](index_t i, index_t m) { made.mean[m] += static_cast<double>(x[i]); });
    for (double& m : made.mean) m /= count;
  }
  s.means.for_each([&](index_t i, index_t m) {
    const double d = static_cast<double>(x[i]) - made.mean[m];
    made.variance[m] += d * d;
  });
  for (double& v : made.variance) v /= count;
  return made;
}

template <class T>
std::vector<T> normalised(const norm_shape& s, const std::vector<T>& x, const std::vector<double>& mean,
                          const std::vector<double>& inverse, const std::vector<double>& scale,
                          const std::vector<double>& bias) {
  std::vector<double> centred(x.size());
  s.means.for_each([&](index_t i, index_t m) {
    centred[i] = (static_cast<double>(x[i]) - (s.around_zero ? 0 : mean[m])) * inverse[m];
  });
  std::vector<T> y(x.size());
  s.scales.for_each(
      [&](index_t i, index_t c) { y[i] = static_cast<T>(centred[i] * scale[c] + (bias.empty() ? 0 : bias[c])); });
  return y;
}

template <class T>
norm_gradients<T> normalised_back(const norm_shape& s, const std::vector<T>& x, const std::vector<T>& dy,
                                  const std::vector<double>& mean, const std::vector<double>& inverse,
                                  const std::vector<double>& scale) {
  std::vector<double> centred(x.size()), gradient(x.size());
  s.means.for_each([&](index_t i, index_t m) {
    centred[i] = (static_cast<double>(x[i]) - (s.around_zero ? 0 : mean[m])) * inverse[m];
  });
  norm_gradients<T> made{std::vector<T>(x.size()), zeros(s.scale_count), zeros(s.scale_count)};
  s.scales.for_each([&](index_t i, index_t c) {
    const double g = static_cast<double>(dy[i]);
    made.scale[c] += g * centred[i];
    made.bias[c] += g;
    gradient[i] = g * scale[c];
  });
  std::vector<double> sum = zeros(s.mean_count), product = zeros(s.mean_count);
  s.means.for_each([&](index_t i, index_t m) {
    sum[m] += gradient[i];
    product[m] += gradient[i] * centred[i];
  });
  const double count = s.per_mean();
  s.means.for_each([&](index_t i, index_t m) {
    const double common = (s.around_zero ? 0 : sum[m]) + centred[i] * product[m];
    made.x[i] = static_cast<T>(inverse[m] * (gradient[i] - common / count));
  });
  return made;
}

#define NORMALISATION(T)                                                                                         \
  template norm_statistics statistics_of<T>(const norm_shape&, const std::vector<T>&);                           \
  template std::vector<T> normalised<T>(const norm_shape&, const std::vector<T>&, const std::vector<double>&,    \
                                        const std::vector<double>&, const std::vector<double>&,                  \
                                        const std::vector<double>&);                                             \
  template norm_gradients<T> normalised_back<T>(const norm_shape&, const std::vector<T>&, const std::vector<T>&, \
                                                const std::vector<double>&, const std::vector<double>&,          \
                                                const std::vector<double>&);
NORMALISATION(float)
NORMALISATION(double)

}  // namespace bankwise::dnn
