// Entry points of the driver: tensor maps.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/format.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "runtime/driver/call.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error write_map(void* to, const emulate::tensor_map& map, const char* entry = __builtin_FUNCTION()) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % emulate::tensor_map_alignment != 0)
    return cudaErrorInvalidValue;
  if (const auto problem = emulate::problem_of(map)) {
    say(formatted("{} refuses a tensor map: {}", entry, *problem));
    return cudaErrorInvalidValue;
  }
  const emulate::tensor_map_words words = encode(map);
  std::memcpy(to, words.data(), sizeof words);
  return cudaSuccess;
}

// What maps of boxes and of pixels are both told.
struct layout {
  int type;
  unsigned dimensions;
  void* address;
  const std::uint64_t *size, *strides;
  const std::uint32_t* element_strides;
  int interleave, swizzle, l2_promotion, fill;
};

error make_map(const layout& l, emulate::tensor_map& map) {
  const bool is_known = l.type >= 0 && l.type < static_cast<int>(emulate::tensor_types) && l.interleave >= 0 &&
                        l.interleave <= 2 && l.swizzle >= 0 && l.swizzle <= 3 && l.l2_promotion >= 0 &&
                        l.l2_promotion <= 3 && l.fill >= 0 && l.fill <= 1;
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
    map.stride[i] = i == 0 ? emulate::bytes_of(map.type) : l.strides[i - 1];
    map.box[i] = 1;
    map.element_stride[i] = l.element_strides[i];
  }
  return cudaSuccess;
}

}  // namespace

CUDA_API driver_status cuTensorMapEncodeTiled(void* to, int type, unsigned dimensions, void* address,
                                              const std::uint64_t* size, const std::uint64_t* strides,
                                              const std::uint32_t* box, const std::uint32_t* element_strides,
                                              int interleave, int swizzle, int l2_promotion, int fill) {
  return driver_call([&](state&) {
    emulate::tensor_map map;
    const layout told{type,       dimensions, address,      size, strides, element_strides,
                      interleave, swizzle,    l2_promotion, fill};
    if (const error e = box != nullptr ? make_map(told, map) : cudaErrorInvalidValue; e != cudaSuccess) return e;
    std::copy_n(box, dimensions, map.box.begin());
    return write_map(to, map, "cuTensorMapEncodeTiled");
  });
}

// The corners are told from the innermost dimension of the image outwards: W, H, D.
CUDA_API driver_status cuTensorMapEncodeIm2col(void* to, int type, unsigned dimensions, void* address,
                                               const std::uint64_t* size, const std::uint64_t* strides,
                                               const int* lower, const int* upper, std::uint32_t channels,
                                               std::uint32_t pixels, const std::uint32_t* element_strides,
                                               int interleave, int swizzle, int l2_promotion, int fill) {
  return driver_call([&](state&) {
    emulate::tensor_map map;
    const layout told{type,       dimensions, address,      size, strides, element_strides,
                      interleave, swizzle,    l2_promotion, fill};
    if (lower == nullptr || upper == nullptr || pixels == 0 || dimensions < 3) return cudaErrorInvalidValue;
    if (const error e = make_map(told, map); e != cudaSuccess) return e;
    map.box[0] = channels;
    map.pixels = pixels;
    std::copy_n(lower, dimensions - 2, map.lower.begin());
    std::copy_n(upper, dimensions - 2, map.upper.begin());
    return write_map(to, map, "cuTensorMapEncodeIm2col");
  });
}

CUDA_API driver_status cuTensorMapReplaceAddress(void* to, void* address) {
  return driver_call([&](state&) {
    emulate::tensor_map_words words;
    if (to == nullptr) return cudaErrorInvalidValue;
    std::memcpy(words.data(), to, sizeof words);
    auto map = emulate::decode_tensor_map(words);
    if (!map) return cudaErrorInvalidValue;
    map->address = reinterpret_cast<std::uintptr_t>(address);
    return write_map(to, *map, "cuTensorMapReplaceAddress");
  });
}
