// The CUDA runtime that is linked into an executable or a shared object (libcudart_static.a, nvcc's default): its
// version and the addresses of its functions. The symbol table contains the names of the functions, unless strip
// removed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct runtime_function {
  std::string_view name;      // points into the file
  std::uint64_t address = 0;  // address before the file is loaded
  byte_span code;             // points into the file
};

struct static_runtime {
  int major = 0;  // major version of CUDA
  // False if local names were stripped. `functions` then contains only the functions that the program calls.
  bool whole = false;
  std::vector<runtime_function> functions;  // functions of the runtime API, by address
};

// Returns nothing in three cases: the file contains no runtime, no name shows the runtime, or the file is not a program
// or library for this kind of computer.
std::optional<static_runtime> find_static_runtime(byte_span bytes);

}  // namespace bankwise::cuda
