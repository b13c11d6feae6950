// Places arrays as a compiler does by default: one after another, each aligned to its element. If the first byte of an
// array is given, the array begins at this byte.
#include "expr/parse/scope.hpp"

#include <utility>

#include "expr/parse/type_names.hpp"

namespace bankwise::expr {

std::uint32_t piece_bytes(const element_type& type) {
  // The width of an access is a power of two, and does not exceed the guaranteed alignment.
  std::uint32_t piece = 1;
  while (piece < 16 && piece * 2 <= type.align && type.bytes % (piece * 2) == 0) piece *= 2;
  return piece;
}

element_type type_of(const array_decl& array) {
  return {array.element_bytes, array.align != 0 ? array.align : array.element_bytes, array.component_bytes, array.of};
}

std::uint32_t threads_of(const scope& names) { return names.block[0] * names.block[1] * names.block[2]; }
std::uint32_t warps_of(const scope& names) { return (threads_of(names) + names.warp_lanes - 1) / names.warp_lanes; }

std::uint64_t bytes_of(const array_decl& array) {
  if (!array.modes.empty()) {
    std::uint64_t last = 0;
    for (const auto& parts : array.modes)
      for (const index_part& p : parts) last += (p.size - 1) * p.stride;
    // The swizzle may move an element to any offset within the swizzled bits.
    if (const auto& s = array.permute) last |= (std::uint64_t{1} << (s->base + s->bits)) - 1;
    return (last + 1) * array.element_bytes;
  }
  std::uint64_t bytes = array.element_bytes;
  for (const std::uint64_t n : array.extents) bytes *= n;
  return bytes;
}

array_decl without_layout(array_decl array) {
  if (array.modes.empty()) return array;
  array.extents = {bytes_of(array) / array.element_bytes};
  if (packed_bits(array.type) != 0) array.type = "uint8_t";  // the layout counts bytes
  array.modes.clear();
  array.permute.reset();
  return array;
}

std::uint64_t offset_of(const array_decl& array, std::span<const std::uint64_t> indices) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (array.modes.empty()) {
      offset = offset * array.extents[i] + indices[i];
      continue;
    }
    std::uint64_t left = indices[i];
    for (const index_part& p : array.modes[i]) {
      offset += left % p.size * p.stride;
      left /= p.size;
    }
  }
  return array.permute ? (*array.permute)(static_cast<u32>(offset)) : offset;
}

void add_array(scope& names, array_decl array) {
  const std::uint64_t end = names.arrays.empty() ? 0 : names.arrays.back().offset + bytes_of(names.arrays.back());
  const std::uint64_t align = array.align != 0 ? array.align : array.element_bytes;
  array.offset = !array.places.empty() ? array.places.front() : names.of_global ? 0 : (end + align - 1) / align * align;
  names.arrays.push_back(std::move(array));
}

}  // namespace bankwise::expr
