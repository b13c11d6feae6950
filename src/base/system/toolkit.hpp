// Programs of the user's CUDA toolkit that bankwise does not contain: nvcc, ptxas, nvlink.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace bankwise {

// The path of a program: in $CUDA_HOME/bin, on the PATH, or in /usr/local/cuda/bin. Empty if it was not found.
std::string find_tool(const std::string& name);
// Also searches Python packages. Next to the loaded libraries (.../site-packages/nvidia/...), there may be the folders
// nvidia/cu13/bin, nvidia/cuda_nvcc/bin or triton/backends/nvidia/bin. `looked_in` receives the searched paths.
std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in);
// The folder with the toolkit's libraries, which is next to its programs. Empty if there is none.
std::string find_toolkit_libraries();
// Runs a program and returns its exit status, or -1 if a signal ended it. Its standard output and standard error go to
// the file `heard`, and its temporary files to the folder of this file. If `stop` contains a signal, the program and
// its children get the signal at once. `folder`: the working folder; empty for the current one. `variables` are added
// to its environment.
result<int> run_and_hear(std::vector<std::string> words, const std::string& heard,
                         const std::atomic<std::uint32_t>* stop = nullptr, const std::string& folder = {},
                         const std::vector<std::pair<std::string, std::string>>& variables = {});

}  // namespace bankwise
