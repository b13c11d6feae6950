// The CUDA runtime that is linked into an executable or a shared object (libcudart_static.a, nvcc's default): its
// version and the addresses of its functions. Their names are in the symbol table, which a linker writes and strip
// removes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct runtime_function {
  std::string_view name;      // in the file
  std::uint64_t address = 0;  // before the file is loaded
  byte_span code;             // in the file
};

struct static_runtime {
  int major = 0;  // of CUDA
  // False if local names were stripped: then these are only the functions that the program itself calls.
  bool whole = false;
  std::vector<runtime_function> functions;  // of its API, by address
};

// Nothing if there is none, if no name shows it, or if the file is not a program or library for this kind of computer.
std::optional<static_runtime> find_static_runtime(byte_span bytes);

}  // namespace bankwise::cuda
