// bankwise run --batch: predicts the times of many launches in one process, on all cores.
//
//     {"file": "gemm.cubin", "kernel": "gemm", "grid": [16, 16], "block": [16, 16], "args": ["out:f32[1M]", 1024]}
//     {"line": 1, "kernel": "gemm", "microseconds": 25.9, "microseconds_low": 23.6, ..., "trusted": true}
//
// Each line of the input is a launch (batch_line.hpp), and each line of the output is its answer (batch_answer.hpp). The
// answers are in the order of the input, and are written as soon as those before them are known.
#pragma once

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

// The flags for launches, such as --gpu and --grid, are defaults of the lines. Returns exit status 2 if a line has an
// error. The other lines are still answered.
result<int> run_batch(const arguments& args);

}  // namespace bankwise::cli
