// Adds the inputs on which a launch's sites depend, from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise {

// For each instruction of the code of kernel `k`, whose flow is `flow`.
std::vector<sass::dependence> dependences_of(const cubin::kernel& k, const sass::code_flow& flow);
// For called functions nothing is known.
void add_dependences(launch_report& l, const cubin::kernel& k, const std::vector<sass::dependence>& all);

}  // namespace bankwise
