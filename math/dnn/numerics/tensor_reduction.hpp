// cuDNN's reductions, computed as doubles: the initial value, the step for an element, and the operation at the end.
#pragma once

#include <cmath>

#include "math/dnn/dnn_abi.hpp"

namespace bankwise::dnn {

inline double first_of(int op) {
  switch (op) {
    case reduce_mul:
    case reduce_mul_no_zeros: return 1;
    case reduce_min: return INFINITY;
    case reduce_max: return -INFINITY;
    default: return 0;
  }
}
inline double reduced(int op, double until_now, double x) {
  switch (op) {
    case reduce_mul: return until_now * x;
    case reduce_mul_no_zeros: return x == 0 ? until_now : until_now * x;
    case reduce_min: return std::isnan(x) || x < until_now ? x : until_now;
    case reduce_max: return std::isnan(x) || x > until_now ? x : until_now;
    case reduce_amax: return std::isnan(x) || std::fabs(x) > until_now ? std::fabs(x) : until_now;
    case reduce_norm1: return until_now + std::fabs(x);
    case reduce_norm2: return until_now + x * x;
    default: return until_now + x;
  }
}
inline double finished(int op, double all, double count) {
  return op == reduce_avg ? all / count : op == reduce_norm2 ? std::sqrt(all) : all;
}

}  // namespace bankwise::dnn
