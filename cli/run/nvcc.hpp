// Compiles with the nvcc of the user's toolkit.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

// Returns the version of nvcc, such as "13.0.88". Returns an empty string if nvcc prints no version.
std::string nvcc_version(const std::string& nvcc);

// Compiles to a cubin with line tables, and returns its bytes. Fails if nvcc is missing or reports errors.
result<std::string> compile_cubin(const std::string& source, const std::string& arch,
                                  const std::vector<std::string>& flags);

// Compiles and links a program with line tables and a shared CUDA runtime. The loader finds the runtime when the
// program starts.
result<done> compile_program(const std::string& source, const std::string& arch, const std::vector<std::string>& flags,
                             const std::string& program);

}  // namespace bankwise::cli
