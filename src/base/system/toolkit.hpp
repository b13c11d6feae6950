// Programs of the user's CUDA toolkit, which is never shipped: nvcc, ptxas, nvlink.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace bankwise {

// The program's path: in $CUDA_HOME/bin, on the PATH or in /usr/local/cuda/bin. Empty if it was not found.
std::string find_tool(const std::string& name);
// The same, and then in Python packages: the folders that contain the loaded libraries (.../site-packages/nvidia/...)
// have nvidia/cu13/bin, nvidia/cuda_nvcc/bin or triton/backends/nvidia/bin. `looked_in` receives the searched places.
std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in);
// The folder of the toolkit's libraries, next to its programs. Empty if there is none.
std::string find_toolkit_libraries();
// Runs a program and gives its exit status, -1 if a signal ended it. What it says on either stream goes to a file, and
// its temporary files into the folder of that. Where `stop` comes to name a signal, it and all that it started get that
// at once. `folder`: where it runs; empty: here. `variables`: of its environment, in addition to ours.
result<int> run_and_hear(std::vector<std::string> words, const std::string& heard,
                         const std::atomic<std::uint32_t>* stop = nullptr, const std::string& folder = {},
                         const std::vector<std::pair<std::string, std::string>>& variables = {});

}  // namespace bankwise
