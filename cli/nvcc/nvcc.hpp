// Compiles with the nvcc of the user's toolkit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

// Returns the version of nvcc, such as "13.0.88". Returns an empty string if nvcc prints no version.
std::string nvcc_version(const std::string& nvcc);

// What nvcc compiles, and for which architecture.
struct compilation {
  std::string source;               // a .cu or .ptx file
  std::optional<std::string> arch;  // the architecture that the user chose, such as "sm_90a"
  std::vector<std::string> flags;   // the user's flags for nvcc. If they name an architecture, it replaces `arch`
  bool is_repeated = false;         // whether another compilation of the source already prints its warnings
};

// Compiles to a cubin or fatbin with line tables, and returns its bytes. Fails if nvcc is missing or reports errors.
result<std::string> compile_cubin(const compilation& what);

// Compiles and links a program with line tables and a shared CUDA runtime. The loader finds the runtime when the
// program starts.
result<done> compile_program(const compilation& what, const std::string& program);

}  // namespace bankwise::cli
