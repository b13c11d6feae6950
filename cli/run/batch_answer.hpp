// The answer to one launch of a batch, as JSON on one line.
//
//     {"line": 1, "kernel": "gemm", "microseconds": 25.9, "bound": "l2", "trusted": true}
//     {"line": 2, "kernel": "gemm", "stopped": true, "microseconds_above": 20}
//     {"line": 3, "error": {"message": "...", "file": "list.jsonl", "line": 3, ...}}
//     {"line": 4, "key": "5f0c..."}
#pragma once

#include <cstddef>
#include <string>

#include "cli/run/batch_line.hpp"
#include "cli/run/kept_programs.hpp"

namespace bankwise::cli {

struct batch_answer {
  std::string text;  // without a newline
  bool failed = false;
  bool interrupted = false;  // whether a signal stopped the launch, so that there is no answer
};

// Predicts the time of a launch. `where`: the file of the lines. `threads`: the number of its thread blocks that run at the same time.
batch_answer answer_time(const batch_line& line, std::size_t number, const std::string& where, kept_programs& programs,
                         unsigned threads);
// Returns the content key of a launch: equal keys mean equal answers. It is a hash of the machine code, the kernel, the
// shape of the launch, the arguments with the contents of their files, the GPU, and the file of bankwise itself.
batch_answer answer_key(const batch_line& line, std::size_t number, const std::string& where, kept_programs& programs);
// The answer for a line that could not be read, or whose launch failed.
batch_answer answer_error(diagnostic why, std::size_t number, const std::string& name, const std::string& where);

}  // namespace bankwise::cli
