// The code of a kernel, which is shown next to its costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankwise {

// A machine instruction with its source line and PTX line.
struct code_line {
  std::uint64_t pc = 0;
  std::string sass;
  std::int32_t file = -1;  // index into kernel_code::files; -1 without a line table
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;  // number of the PTX line; 0 if unknown
};

struct function_code {
  std::string name;  // same spelling as site::function
  std::vector<code_line> instructions;
};

struct kernel_code {
  std::string mangled;
  std::vector<std::string> files;  // paths when the files were compiled
  std::vector<code_line> instructions;
  std::vector<function_code> functions;  // code of functions outside of the kernel's own code
  std::vector<std::string> ptx;          // line n is ptx[n - 1]; the lines of other kernels are empty
};

}  // namespace bankwise
