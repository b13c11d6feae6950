// Copies and fills of memory, as values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

// A copy of a box of bytes: `width` bytes in a row, `height` rows in a slice, `depth` slices.
struct copy {
  std::uint64_t to = 0, from = 0;
  std::size_t to_pitch = 0, from_pitch = 0;  // distances in bytes from row to row
  std::size_t to_slice = 0, from_slice = 0;  // distances in bytes from slice to slice
  std::size_t width = 0, height = 1, depth = 1;
  copy_kind kind = by_address;
};

struct fill {
  std::uint64_t to = 0;
  std::size_t pitch = 0, slice = 0;
  std::size_t width = 0, height = 1, depth = 1;  // `width` counts elements, not bytes
  unsigned value = 0, element_bytes = 1;
  bool waits = false;  // whether the call has no suffix Async, and so waits if the host can access the memory
};

// Returns the number of bytes from the first byte of a box to its last byte, including the gaps between rows and
// slices.
inline std::size_t reach(std::size_t pitch, std::size_t slice, std::size_t width, std::size_t height,
                         std::size_t depth) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

}  // namespace bankwise::cuda
