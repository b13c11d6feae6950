// One launch of a batch: a JSON object on one line. Its keys are those of batch_keys in batch_line.cpp, which are named
// like the flags of `bankwise run`.
//
//     {"name": "64x64", "file": "gemm.cu", "nvcc": ["-DTILE=64"], "kernel": "gemm", "grid": [16, 16], "block": 256,
//      "args": ["out:f32[1M]", "f32[1M]=iota", 1024], "gpu": "H200", "caches": "warm", "stop_above": 20}
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

inline constexpr std::size_t most_batch_lines = std::size_t{1} << 20;
inline constexpr std::size_t most_batch_line_bytes = std::size_t{1} << 20;

struct batch_line {
  std::string name;  // the name that the answer repeats; may be empty
  // The launch as if it were on the command line: `positional` has the file. A value of the line replaces a default.
  arguments args;
  double stop_above = std::numeric_limits<double>::infinity();  // in microseconds
};

// Reads a line. `name` receives the name of the launch, even if another key has an error. Errors have no file and line,
// but may have a column.
result<batch_line> read_batch_line(std::string_view text, const arguments& defaults, double stop_above,
                                   std::string& name);

// Whether a flag of the command line, such as "grid", has a key in the lines.
bool is_flag_of_lines(std::string_view flag);

// Reads a number of microseconds, such as --stop-above.
result<double> read_microseconds(const std::string& text, const std::string& of);

}  // namespace bankwise::cli
