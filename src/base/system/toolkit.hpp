// Programs of the user's CUDA toolkit, which bankwise does not contain: nvcc, ptxas, nvlink.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace bankwise {

// Returns the path of a program, or an empty path if it was not found. Searches $CUDA_HOME/bin, the PATH and
// /usr/local/cuda/bin.
std::string find_tool(const std::string& name);
// Also searches Python packages. The folders nvidia/cu13/bin, nvidia/cuda_nvcc/bin and triton/backends/nvidia/bin may
// be next to the loaded libraries (.../site-packages/nvidia/...). `looked_in` gets the searched paths.
std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in);
// Returns the folder with the toolkit's libraries, which is next to its programs. Empty if it was not found.
std::string find_toolkit_libraries();
// Runs a program and returns its exit status, or -1 if a signal ended it. Its standard output and standard error are
// written to the file `heard`. Its temporary files are in the folder of this file. If `stop` contains a signal, the
// program and its children get the signal at once. `folder` is the working folder, or empty for the current folder.
// `variables` are added to its environment.
result<int> run_and_hear(std::vector<std::string> words, const std::string& heard,
                         const std::atomic<std::uint32_t>* stop = nullptr, const std::string& folder = {},
                         const std::vector<std::pair<std::string, std::string>>& variables = {});

}  // namespace bankwise
