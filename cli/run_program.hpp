// A whole program without a GPU: it runs as it is, with a CUDA runtime of ours in the place of NVIDIA's.
#pragma once

#include <cstdint>

#include "arguments.hpp"
#include "expr/expression.hpp"
#include "expr/question.hpp"
#include "report/style.hpp"

namespace bankwise::cli {

// True if the input is a program that is to run whole: a .cu file or a host executable, and no flag of a single launch.
bool runs_program(const arguments& args);

// --ctas: blocks of a launch that run; 0: all.
result<std::uint64_t> read_ctas(const arguments& args);

struct run_program_options {
  std::string format;
  std::vector<expr::array_decl> shapes;
  std::string arch;  // for nvcc: "sm_90a"
  std::uint32_t sm;  // of the device that stands in; 0: sm_90 if the program has code for it, else the newest
};

// The program keeps standard input, output and error; the report goes to standard error, or where -o says. A program that
// does not exit with 0, or whose kernel failed, makes the status 2.
result<int> run_program(const arguments& args, run_program_options options);

}  // namespace bankwise::cli
