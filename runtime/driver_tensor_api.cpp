// Entry points of the driver: tensor maps.
#include <cstring>

#include "driver_call.hpp"
#include "emulate/tensor_map.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

driver_status write_map(void* to, const emulate::tensor_map& map) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % emulate::tensor_map_alignment != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (const auto problem = emulate::problem_of(map)) {
    say("cuTensorMapEncodeTiled refuses a tensor map: " + *problem);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const emulate::tensor_map_words words = encode(map);
  std::memcpy(to, words.data(), sizeof words);
  return CUDA_SUCCESS;
}

}  // namespace

CUDA_API driver_status cuTensorMapEncodeTiled(void* to, int type, unsigned dimensions, void* address,
                                              const std::uint64_t* size, const std::uint64_t* strides,
                                              const std::uint32_t* box, const std::uint32_t* element_strides,
                                              int interleave, int swizzle, int l2_promotion, int fill) {
  return driver_call([&](state&) {
    emulate::tensor_map map;
    const bool is_known = type >= 0 && type < static_cast<int>(emulate::tensor_types) && interleave >= 0 &&
                          interleave <= 2 && swizzle >= 0 && swizzle <= 3 && l2_promotion >= 0 && l2_promotion <= 3 &&
                          fill >= 0 && fill <= 1;
    if (!is_known || dimensions == 0 || dimensions > emulate::most_tensor_dimensions || size == nullptr ||
        box == nullptr || element_strides == nullptr || (strides == nullptr && dimensions > 1))
      return cudaErrorInvalidValue;
    map.address = reinterpret_cast<std::uintptr_t>(address);
    map.dimensions = dimensions;
    map.type = static_cast<emulate::tensor_type>(type);
    map.interleave = static_cast<std::uint8_t>(interleave);
    map.swizzle = static_cast<emulate::tensor_swizzle>(swizzle);
    map.l2_promotion = static_cast<std::uint8_t>(l2_promotion);
    map.fills_with_nan = fill != 0;
    for (unsigned i = 0; i < dimensions; ++i) {
      map.size[i] = size[i];
      map.stride[i] = i == 0 ? emulate::bytes_of(map.type) : strides[i - 1];
      map.box[i] = box[i];
      map.element_stride[i] = element_strides[i];
    }
    return write_map(to, map) == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
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
    return write_map(to, *map) == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
  });
}
