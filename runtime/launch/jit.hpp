// Compiles PTX to machine code, and links objects to a cubin. Both functions use ptxas and nvlink of the user's
// toolkit.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise::cuda {

struct jit_options {
  unsigned most_registers = 0;  // largest number of registers; 0 means the default of ptxas
  int optimization = -1;        // optimization level, 0 to 4; -1 means the default of ptxas
  bool line_info = true;
  std::vector<std::string> flags;  // additional flags for ptxas
};

struct link_input {
  std::string name;  // name of the input in messages
  bool is_ptx = false;
  std::vector<std::byte> bytes;
};

// Adds the messages of the tools to `log`, even after success. Fails if there is no toolkit, or if a tool fails.
result<std::vector<std::byte>> compile_ptx(byte_span text, const std::string& name, const jit_options& options,
                                           std::string& log);
// Links all inputs to one cubin. PTX is compiled first. Cubins that nvcc made with -rdc=true, fatbins, objects and
// archives are passed to nvlink.
result<std::vector<std::byte>> link_images(const std::vector<link_input>& inputs, const jit_options& options,
                                           std::string& log);

}  // namespace bankwise::cuda
