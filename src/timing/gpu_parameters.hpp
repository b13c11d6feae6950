// The parameters of a GPU for the prediction of times. The struct has a member for each row of parameters.def. A list
// contains these rows with their evidence.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bankwise::timing {

enum class parameter_evidence : std::uint8_t { measured, published, assumed };

struct gpu_parameters {
#define PARAMETER(name, value, unit, evidence, source) double name = value;
#include "timing/parameters.def"
};

struct parameter_row {
  std::string_view name;
  double gpu_parameters::*value;
  std::string_view unit;
  parameter_evidence evidence;
  std::string_view source;
};
std::span<const parameter_row> parameter_rows();

}  // namespace bankwise::timing
