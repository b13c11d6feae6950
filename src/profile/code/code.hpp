// The code of a kernel as a report shows it: machine instructions with their source and PTX lines, and the PTX text.
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Describes the code of a kernel. If the launch has sites in device functions outside of the kernel's own code, these
// functions are also described.
kernel_code describe_code(const cubin::program& p, const cubin::kernel& k, const launch_report& l);

}  // namespace bankwise
