// CUDA arrays: texels in device memory. There are no gaps between rows, slices, layers and faces.
//
//     cudaMallocArray(&a, float, 64, 16)     4096 bytes in rows of 256; copies to the array are copies to this memory
#pragma once

#include <memory>
#include <vector>

#include "emulate/texture/texture.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/memory/copy.hpp"

namespace bankwise::cuda {

struct array {
  array_3d_descriptor like{};
  emulate::texture_level where;
  // Whether the array is a level of a mipmapped array; if so, the mipmapped array owns the memory.
  bool is_level = false;

  unsigned texel_bytes() const;
};
struct mipmapped_array {
  array_3d_descriptor like{};
  std::uint64_t address = 0;
  std::vector<std::unique_ptr<array>> levels;
};

// Returns the bytes of a channel, or 0 if the format is unknown.
unsigned channel_bytes(array_format format);
// Makes an array. Fails if a size is impossible, if flags are incompatible or if there is no memory.
error make_array(state& s, const array_3d_descriptor& like, array** made);
error make_mipmapped_array(state& s, const array_3d_descriptor& like, unsigned levels, mipmapped_array** made);
error free_array(state& s, array* a);
error free_mipmapped_array(state& s, mipmapped_array* a);
// Finds an array or mipmapped array by its handle. Returns null if there is no such array.
array* find_array(const state& s, const void* a);
mipmapped_array* find_mipmapped_array(const state& s, const void* a);

// An array as the source or the destination of a copy: the address where the copy begins, and the distances in bytes
// between rows and between slices.
struct array_side {
  std::uint64_t begin = 0;
  std::size_t pitch = 0, slice = 0;
};
error side_of(const array& a, std::size_t x, std::size_t y, std::size_t z, const copy& c, array_side& side);

// Converts the channels of the runtime to a format and a number of channels. Fails if no array can have such channels.
error format_of(const channel_format& channels, array_format& format, unsigned& count);
channel_format channels_of(const array_3d_descriptor& like);

}  // namespace bankwise::cuda
