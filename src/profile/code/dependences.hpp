// The dependences of a launch's sites, from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/code_flow.hpp"

namespace bankwise {

// Only for the code of kernel `k`, whose flow is `flow`; for called functions nothing is known.
void add_dependences(launch_report& l, const cubin::kernel& k, const sass::code_flow& flow);
// The same, and finds the flow.
void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
