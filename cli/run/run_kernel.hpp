// Launches one kernel of a file with the flags of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/line/arguments.hpp"
#include "cli/run/kernel_arguments.hpp"
#include "cli/run/present.hpp"
#include "cli/run/run_settings.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::cli {

struct buffer_dump {
  std::size_t argument = 0;
  std::size_t field = 0;  // number of the field, from 1; 0 if the argument itself is the buffer
  std::string file;
};

// The arguments of one more launch (--try-input).
struct other_input {
  std::string name;
  std::vector<kernel_argument> list;
};

// A launch that is described by flags of the command line.
struct kernel_question {
  emulate::launch how;
  std::vector<kernel_argument> list;
  std::vector<buffer_dump> dumps;
  std::vector<other_input> others;
  bool tries_warps = false;
};
result<kernel_question> read_kernel_question(const arguments& args, const run_options& settings);

// `sm` selects an image of a fatbin. If `sm` is 0, cubin::load chooses the image.
result<int> run_kernel(const arguments& args, report_request how, const run_options& settings, kernel_question q,
                       std::uint32_t sm);

}  // namespace bankwise::cli
