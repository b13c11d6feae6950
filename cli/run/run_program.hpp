// Runs a complete program without a GPU: the program is unchanged, and our CUDA runtime replaces NVIDIA's.
#pragma once

#include <cstdint>
#include <string>

#include "cli/line/arguments.hpp"
#include "cli/present.hpp"
#include "cli/run/run_settings.hpp"

namespace bankwise::cli {

// Whether a complete program should run: the input is a .cu file or a host executable, and there is no flag of a single
// launch.
bool runs_program(const arguments& args);

// The program keeps standard input, output and error. The report goes to standard error, or to the -o file. If the
// program does not exit with 0, or a kernel fails, the status is 2. `sm`: of the emulated device; 0 means sm_90 if the
// program has code for it, otherwise the newest.
result<int> run_program(const arguments& args, report_request how, const run_options& settings, std::uint32_t sm);

}  // namespace bankwise::cli
