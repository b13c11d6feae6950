// The activation functions, selected by their numbers, and their derivatives.
#include <cmath>

#include "math/dnn/dnn_descriptors.hpp"

namespace bankwise::dnn {

double activate(const activation& a, double x) {
  switch (a.mode) {
    case sigmoid: return 1 / (1 + std::exp(-x));
    case relu: return std::isnan(x) || x > 0 ? x : 0;
    case tanh_of: return std::tanh(x);
    case clipped_relu: return std::isnan(x) ? x : std::fmin(std::fmax(x, 0), a.coefficient);
    case elu: return x > 0 ? x : a.coefficient * std::expm1(x);
    case swish: return x / (1 + std::exp(-a.swish_beta * x));
    default: return x;
  }
}

double activation_slope(const activation& a, double x, double y) {
  switch (a.mode) {
    case sigmoid: return y * (1 - y);
    case relu: return x > 0 ? 1 : 0;
    case tanh_of: return 1 - y * y;
    case clipped_relu: return x > 0 && x < a.coefficient ? 1 : 0;
    case elu: return x > 0 ? 1 : a.coefficient * std::exp(x);
    case swish: {
      const double s = 1 / (1 + std::exp(-a.swish_beta * x));
      return s + a.swish_beta * x * s * (1 - s);
    }
    default: return 1;
  }
}

}  // namespace bankwise::dnn
