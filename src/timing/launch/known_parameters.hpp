// How many of the parameters that matter for a bound are published for a GPU: the rows of bound_parameters.def.
#pragma once

#include "timing/gpu.hpp"
#include "timing/launch/resource.hpp"

namespace bankwise::timing {

struct known_parameters {
  unsigned published = 0, assumed = 0;
};
known_parameters known_parameters_of(const gpu_description& g, resource bound);

}  // namespace bankwise::timing
