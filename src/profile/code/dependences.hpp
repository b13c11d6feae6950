// What the sites of a launch depend on, from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Those of the kernel's own code; of functions that it calls nothing is known.
void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
