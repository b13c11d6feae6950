// The driver's functions for arrays, texture and surface objects, and tensor maps.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/format.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/memory/texture_object.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

array_3d_descriptor wide(const array_descriptor& d) { return {d.width, d.height, 0, d.format, d.channels, 0}; }
array_descriptor narrow(const array_3d_descriptor& d) { return {d.width, d.height, d.format, d.channels}; }

template <class Body>
driver_status with_array(const char* entry, const array* handle, Body body) {
  return context_call(entry, [&](state& s) {
    const array* found = find_array(s, handle);
    return found == nullptr ? cudaErrorInvalidResourceHandle : body(s, *found);
  });
}
template <class Body>
driver_status with_object(const char* entry, unsigned long long object, bool is_surface, Body body) {
  return context_call(entry, [&](state& s) {
    const object_descriptors* of = descriptors_of(s, object, is_surface);
    return of == nullptr ? cudaErrorInvalidValue : body(s, *of);
  });
}

error tell_level(const state& s, array** level, const mipmapped_array* a, unsigned n) {
  const mipmapped_array* found = find_mipmapped_array(s, a);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  return n < found->levels.size() ? put(level, found->levels[n].get()) : cudaErrorInvalidValue;
}

error write_map(void* to, const emulate::tensor_map& map, const char* entry) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % emulate::tensor_map_alignment != 0)
    return cudaErrorInvalidValue;
  // GPUs before Blackwell have neither packed element types nor the newer swizzles.
  const bool is_newer = is_packed(map.type) || map.swizzle > emulate::tensor_swizzle::bytes_128;
  if (is_newer && the_device().sm < 100) {
    say(formatted("{} refuses a tensor map, because sm_{} does not have the element type or the swizzle of this map",
                  entry, the_device().sm));
    return cudaErrorInvalidValue;
  }
  if (const auto problem = emulate::problem_of(map)) {
    say(formatted("{} refuses a tensor map: {}", entry, *problem));
    return cudaErrorInvalidValue;
  }
  const emulate::tensor_map_words words = encode(map);
  std::memcpy(to, words.data(), sizeof words);
  return cudaSuccess;
}

// The parameters of every tensor map, whether it is a map of tiles (boxes) or a map of pixels (im2col).
struct layout {
  int type;
  unsigned dimensions;
  void* address;
  const std::uint64_t *size, *strides;
  const std::uint32_t* element_strides;
  int interleave, swizzle, l2_promotion, fill;
};
// The additional parameters of an im2col map.
struct pixel_box {
  const int *lower, *upper;
  std::uint32_t channels, pixels;
};

error make_map(const layout& l, emulate::tensor_map& map) {
  const bool is_known = l.type >= 0 && l.type < static_cast<int>(emulate::tensor_types) && l.interleave >= 0 &&
                        l.interleave <= 2 && l.swizzle >= 0 && l.swizzle < static_cast<int>(emulate::tensor_swizzles) &&
                        l.l2_promotion >= 0 && l.l2_promotion <= 3 && l.fill >= 0 && l.fill <= 1;
  if (!is_known || l.dimensions == 0 || l.dimensions > emulate::most_tensor_dimensions || l.size == nullptr ||
      l.element_strides == nullptr || (l.strides == nullptr && l.dimensions > 1))
    return cudaErrorInvalidValue;
  map.address = reinterpret_cast<std::uintptr_t>(l.address);
  map.dimensions = l.dimensions;
  map.type = static_cast<emulate::tensor_type>(l.type);
  map.interleave = static_cast<std::uint8_t>(l.interleave);
  map.swizzle = static_cast<emulate::tensor_swizzle>(l.swizzle);
  map.l2_promotion = static_cast<std::uint8_t>(l.l2_promotion);
  map.fills_with_nan = l.fill != 0;
  for (unsigned i = 0; i < l.dimensions; ++i) {
    map.size[i] = l.size[i];
    map.stride[i] = i == 0 ? 0 : l.strides[i - 1];
    map.box[i] = 1;
    map.element_stride[i] = l.element_strides[i];
  }
  return cudaSuccess;
}

error write_tiled(void* to, const layout& l, const std::uint32_t* box, const char* entry) {
  emulate::tensor_map map;
  if (const error e = box != nullptr ? make_map(l, map) : cudaErrorInvalidValue; e != cudaSuccess) return e;
  std::copy_n(box, l.dimensions, map.box.begin());
  return write_map(to, map, entry);
}

error write_pixels(void* to, const layout& l, const pixel_box& box, const char* entry) {
  emulate::tensor_map map;
  if (box.lower == nullptr || box.upper == nullptr || box.pixels == 0 || l.dimensions < 3) return cudaErrorInvalidValue;
  if (const error e = make_map(l, map); e != cudaSuccess) return e;
  map.box[0] = box.channels;
  map.pixels = box.pixels;
  std::copy_n(box.lower, l.dimensions - 2, map.lower.begin());
  std::copy_n(box.upper, l.dimensions - 2, map.upper.begin());
  return write_map(to, map, entry);
}

// The additional parameters of an im2col::w map: the two corners along W, and the mode. In the mode of_128, the map has
// 128 pixels.
struct line_box {
  int lower, upper, mode;
};
error write_line(void* to, const layout& l, const line_box& box, std::uint32_t channels, std::uint32_t pixels,
                 const char* entry) {
  constexpr int of_128 = 1;
  emulate::tensor_map map;
  if (box.mode < 0 || box.mode > of_128 || l.dimensions < 3 || (pixels == 0 && box.mode != of_128))
    return cudaErrorInvalidValue;
  if (const error e = make_map(l, map); e != cudaSuccess) return e;
  map.box[0] = channels;
  map.pixels = box.mode == of_128 ? 128 : pixels;
  map.along_w = true;
  map.lower[0] = box.lower;
  map.upper[0] = box.upper;
  return write_map(to, map, entry);
}

error replace_address(void* to, void* address, const char* entry) {
  emulate::tensor_map_words words;
  if (to == nullptr) return cudaErrorInvalidValue;
  std::memcpy(words.data(), to, sizeof words);
  auto map = emulate::decode_tensor_map(words);
  if (!map) return cudaErrorInvalidValue;
  map->address = reinterpret_cast<std::uintptr_t>(address);
  return write_map(to, *map, entry);
}

}  // namespace

#define ENTRIES "runtime/driver/entries/array_api.def"
#include "runtime/driver/entries/entry_functions.def"
