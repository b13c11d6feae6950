// Adds the inputs of each site to a launch. They follow from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Adds the dependences to the sites of the kernel's own code. Sites in called functions get none.
void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
