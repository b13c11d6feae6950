#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

std::span<const parameter_row> parameter_rows() {
  static constexpr parameter_row rows[] = {
#define PARAMETER(name, value, unit, evidence, source) \
  {#name, &gpu_parameters::name, unit, parameter_evidence::evidence, source},
#include "timing/parameters.def"
  };
  return rows;
}

}  // namespace bankwise::timing
