#include "timing/launch/known_parameters.hpp"

#include <algorithm>
#include <iterator>

namespace bankwise::timing {

namespace {

struct bound_parameter {
  resource bound;
  double gpu_parameters::*parameter;
};
constexpr bound_parameter bound_parameters[] = {
#define BOUND_PARAMETER(name, parameter) {resource::name, &gpu_parameters::parameter},
#include "timing/launch/bound_parameters.def"
};
constexpr double gpu_parameters::*documented[] = {
#define DOCUMENTED(parameter) &gpu_parameters::parameter,
#include "timing/launch/bound_parameters.def"
};

}  // namespace

known_parameters known_parameters_of(const gpu_description& g, resource bound) {
  known_parameters k;
  for (const bound_parameter& b : bound_parameters) {
    if (b.bound != bound) continue;
    const bool is_known =
        std::find(std::begin(documented), std::end(documented), b.parameter) != std::end(documented) ||
        is_published(g, b.parameter);
    ++(is_known ? k.published : k.assumed);
  }
  return k;
}

}  // namespace bankwise::timing
