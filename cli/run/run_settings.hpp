// Reads the flags of `run` that determine how launches are executed, for one launch or for all launches of a program.
#pragma once

#include "cli/line/arguments.hpp"
#include "emulate/launch/launch.hpp"
#include "model/run_options.hpp"

namespace bankwise::cli {

result<run_options> read_run_settings(const arguments& args);

// Applies the options to a launch that is the only launch of its run.
void apply_alone(const run_options& o, emulate::launch& l);

}  // namespace bankwise::cli
