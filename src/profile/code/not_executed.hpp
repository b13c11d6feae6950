// Instructions on shared memory that a launch did not execute.
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Returns the instructions of the kernel's own code that are not in `sites`. Omits instructions with generic addresses.
std::vector<code_place> not_executed(const cubin::program& p, const cubin::kernel& k, const std::vector<site>& sites);

}  // namespace bankwise
