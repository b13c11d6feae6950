// The costs of calls and operations on the timeline that the program sees, as constants (clock_costs.def).
#pragma once

namespace bankwise::cuda {

struct clock_costs {
#define COST(name, value, meaning, source) double name = value;
#include "runtime/clock/clock_costs.def"
};
inline constexpr clock_costs costs;

}  // namespace bankwise::cuda
