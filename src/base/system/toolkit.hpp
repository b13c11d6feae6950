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
// Also searches Python packages. These folders may be next to the loaded libraries (.../site-packages/nvidia/...):
// nvidia/cu13/bin, nvidia/cuda_nvcc/bin and triton/backends/nvidia/bin. `looked_in` receives the searched paths.
std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in);
// Returns the folder with the toolkit's libraries, which is next to the folder of programs. Returns an empty path if
// there is none.
std::string find_toolkit_libraries();
// Runs a program and returns its exit status, or -1 if a signal ended it. The file `heard` gets the program's standard
// output and standard error. The program's temporary files are in the folder of `heard`. If `stop` contains a signal,
// the program and its children get the signal at once. `folder` is the working folder, or empty for the current folder.
// `variables` are added to the program's environment.
result<int> run_and_hear(std::vector<std::string> words, const std::string& heard,
                         const std::atomic<std::uint32_t>* stop = nullptr, const std::string& folder = {},
                         const std::vector<std::pair<std::string, std::string>>& variables = {});

}  // namespace bankwise
