// What the user's nvcc makes.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

// "13.0.88"; empty if it does not say.
std::string nvcc_version(const std::string& nvcc);

// Compiles to a cubin with line tables and gives its bytes. Errors: no nvcc, or what nvcc said.
result<std::string> compile_cubin(const std::string& source, const std::string& arch,
                                  const std::vector<std::string>& flags);

// Compiles and links a program with line tables and a CUDA runtime that is found when it starts.
result<done> compile_program(const std::string& source, const std::string& arch, const std::vector<std::string>& flags,
                             const std::string& program);

}  // namespace bankwise::cli
