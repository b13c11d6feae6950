// The code of a kernel for a report: machine instructions with their source and PTX lines, and the PTX text.
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"

namespace bankwise {

// Describes the code of a kernel, and of the other device functions in which the launch has sites.
kernel_code describe_code(const cubin::program& p, const cubin::kernel& k, const launch_report& l);

}  // namespace bankwise
