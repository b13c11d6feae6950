// The facts about a GPU in the model of a launch's time: the rows of parameters.def as a struct, and as a list with
// their evidence.
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
