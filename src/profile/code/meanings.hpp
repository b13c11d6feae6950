// How well the meaning of a kernel's instructions is known.
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise {

// Adds to the launch how well the meaning of the kernel's own code is known. Does not count NOPs. `counted` is the part
// of the code on which counts depend. If it is empty, the flow of the code is unknown, and counts may depend on every
// instruction.
void add_meaning(launch_report& l, const cubin::program& p, const cubin::kernel& k, const sass::slice& counted);

}  // namespace bankwise
