// How well the meaning of a kernel's instructions is known.
#pragma once

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise {

// Records in the launch how well the meaning of the kernel's own code is known. NOPs do not count. `counted` is the
// part of the code on which counts depend. It is empty if this part is unknown.
void add_meaning(launch_report& l, const cubin::program& p, const cubin::kernel& k, const sass::slice& counted);

}  // namespace bankwise
