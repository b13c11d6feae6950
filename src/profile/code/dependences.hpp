// Adds the inputs on which a launch's sites depend, from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/code_flow.hpp"

namespace bankwise {

// Adds dependences for the code of kernel `k`, whose flow is `flow`. Called functions get none.
void add_dependences(launch_report& l, const cubin::kernel& k, const sass::code_flow& flow);
// Computes the flow of the code, and adds the dependences.
void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
