// Runs a complete program without a GPU. The program is not changed. Our CUDA driver and runtime replace NVIDIA's
// libraries.
#pragma once

#include <cstdint>
#include <string>

#include "cli/line/arguments.hpp"
#include "cli/run/present.hpp"
#include "cli/run/run_settings.hpp"

namespace bankwise::cli {

// Whether to run a complete program: the input is a .cu file or a host executable, and no flag describes a single
// launch.
bool runs_program(const arguments& args);

// The program uses bankwise's standard input, output and error. The report goes to standard error, or to the file of
// -o. If the program does not exit with 0 or a kernel fails, the exit status is 2. `sm` is the emulated device. If it
// is 0, the device is an sm_90 if the program has code for sm_90. Otherwise, the device has the newest architecture in
// the program.
result<int> run_program(const arguments& args, report_request how, const run_options& settings, std::uint32_t sm);

}  // namespace bankwise::cli
