// Copies and fills of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;
struct driver_copy_3d;

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
};

copy row(void* to, const void* from, std::size_t bytes, copy_kind kind);
// Makes a copy from the parameters of cudaMemcpy3D. Fails if the box is empty or exceeds an array.
error make_copy(state& s, const copy_3d_parameters& p, copy& made);
error make_copy(state& s, const driver_copy_3d& p, copy& made);

error run_operation(state& s, const copy& c);
error run_operation(state& s, const fill& f);
// Performs a copy whose parameters are checked.
void perform_copy(state& s, const copy& c);
void perform_fill(state& s, const fill& f);

}  // namespace bankwise::cuda
