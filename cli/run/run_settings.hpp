// The flags of `run` that say how launches are executed: one launch, or all launches of a program.
#pragma once

#include "cli/line/arguments.hpp"
#include "emulate/launch/launch.hpp"
#include "model/run_options.hpp"

namespace bankwise::cli {

result<run_options> read_run_settings(const arguments& args);

// Applies the options to the only launch of a run.
void apply_alone(const run_options& o, emulate::launch& l);

}  // namespace bankwise::cli
