// Compiles PTX to machine code, and links objects to one cubin, with ptxas and nvlink of the user's toolkit.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise::cuda {

struct jit_options {
  unsigned most_registers = 0;  // 0: the default of ptxas
  int optimization = -1;        // 0 to 4; -1: the default of ptxas
  bool line_info = true;
  std::vector<std::string> flags;  // further ones for ptxas
};

struct link_input {
  std::string name;  // for messages
  bool is_ptx = false;
  std::vector<std::byte> bytes;
};

// The tools' messages are added to `log`, even after success. Errors: no toolkit, or the tool's error.
result<std::vector<std::byte>> compile_ptx(byte_span text, const std::string& name, const jit_options& options,
                                           std::string& log);
// Links everything into one cubin: PTX is compiled; cubins of -rdc=true, fatbins, objects and archives go to nvlink.
result<std::vector<std::byte>> link_images(const std::vector<link_input>& inputs, const jit_options& options,
                                           std::string& log);

}  // namespace bankwise::cuda
