// How well the meaning of a kernel's instructions is known.
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Adds it for the kernel's own code, without NOPs. If the flow of the code is not known, counts may depend on every instruction.
void add_meaning(launch_report& l, const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
