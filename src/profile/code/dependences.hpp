// Adds the inputs of each site to a launch. They follow from the kernel's code (sass/flow/dependence.hpp).
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise {

// Returns the dependences of each instruction of kernel `k`. `flow` is the flow of the kernel's code.
std::vector<sass::dependence> dependences_of(const cubin::kernel& k, const sass::code_flow& flow);
// Adds the dependences to the sites of the kernel's own code. Sites in called functions get none.
void add_dependences(launch_report& l, const cubin::kernel& k, const std::vector<sass::dependence>& all);

}  // namespace bankwise
