// The dependences of a launch's sites, from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Only for the kernel's own code; for called functions nothing is known.
void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
