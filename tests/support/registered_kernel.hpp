// Registers the kernel of a cubin with the CUDA runtime, as nvcc's code does before main().
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/cudart/entries.hpp"
#include "support/fatbin.hpp"
#include "support/files.hpp"

namespace bankwise::test {

// `stub` identifies the kernel in cudaLaunchKernel. The registered data must exist as long as the program runs, like
// data that a compiler embeds.
inline void register_kernel(const std::vector<std::byte>& cubin, const char* mangled, char* stub) {
  auto* const image = new std::vector<std::byte>(fatbin_of(cubin));
  using namespace cuda;
  auto* const wrapper = new fatbin_wrapper{0x466243b1, 1, image->data(), nullptr};
  void** handle = __cudaRegisterFatBinary(wrapper);
  __cudaRegisterFunction(handle, stub, stub, mangled, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}
inline void register_kernel(const char* cubin, const char* mangled, char* stub) {
  register_kernel(read_bytes(source_path(cubin)), mangled, stub);
}

}  // namespace bankwise::test
