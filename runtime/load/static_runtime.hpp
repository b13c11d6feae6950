// The CUDA runtime inside an executable or a shared object that was linked with libcudart_static.a (nvcc's default):
// its version and the addresses of its functions. The names are in the symbol table, unless strip removed them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct runtime_function {
  std::string_view name;      // name in the mapped file
  std::uint64_t address = 0;  // address before the file is loaded
  byte_span code;             // code in the mapped file
};

struct static_runtime {
  int major = 0;  // major version of CUDA
  // False if strip removed local names. In this case, `functions` only has the functions that the program calls.
  bool whole = false;
  std::vector<runtime_function> functions;  // functions of the runtime API, sorted by address
};

// Returns nothing in three cases: the file contains no runtime, all names are stripped, or the file is not for this
// kind of processor.
std::optional<static_runtime> find_static_runtime(byte_span bytes);

}  // namespace bankwise::cuda
