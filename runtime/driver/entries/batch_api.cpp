// Entry points of the driver: many copies at a time, advice about many ranges, and what was said of a range.
#include <algorithm>
#include <cstring>

#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

bool is_default(const stream* on) { return on == nullptr; }

driver_status copy_all(const device_pointer* to, const device_pointer* from, const std::size_t* bytes,
                       std::size_t count, const void* attributes, const std::size_t* first, std::size_t attribute_count,
                       stream* on, const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on,
      [&](state& s) {
        const bool is_sound = to != nullptr && from != nullptr && bytes != nullptr && count != 0 &&
                              attributes != nullptr && first != nullptr && attribute_count != 0 &&
                              attribute_count <= count && first[0] == 0 && !is_default(on);
        if (!is_sound || !std::is_sorted(first, first + attribute_count)) return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i)
          if (const error e = enqueue(s, on, row(pointer_to(to[i]), pointer_to(from[i]), bytes[i], by_address));
              e != cudaSuccess)
            return e;
        return cudaSuccess;
      },
      entry);
}

driver_status copy_boxes(std::size_t count, const box_copy* all, unsigned long long flags, stream* on,
                         const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on,
      [&](state& s) {
        if (count == 0 || all == nullptr || flags != 0 || is_default(on)) return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
          const box_copy& b = all[i];
          if (b.from.type != box_copy::in_memory || b.to.type != box_copy::in_memory) return cudaErrorNotSupported;
          if (b.size.width == 0 || b.size.height == 0 || b.size.depth == 0) return cudaErrorInvalidValue;
          const auto pitch = [&](const box_copy::side& at) {
            return at.row_length != 0 ? at.row_length : b.size.width;
          };
          const auto rows = [&](const box_copy::side& at) {
            return at.layer_height != 0 ? at.layer_height : b.size.height;
          };
          copy c = row(pointer_to(b.to.address), pointer_to(b.from.address), b.size.width, by_address);
          c.to_pitch = pitch(b.to);
          c.from_pitch = pitch(b.from);
          c.to_slice = c.to_pitch * rows(b.to);
          c.from_slice = c.from_pitch * rows(b.from);
          c.height = b.size.height;
          c.depth = b.size.depth;
          if (const error e = enqueue(s, on, c); e != cudaSuccess) return e;
        }
        return cudaSuccess;
      },
      entry);
}

// Managed memory alone can be told where to be.
bool is_managed(const state& s, device_pointer at, std::size_t bytes) {
  const auto [begin, a] = allocation_of(s, pointer_to(at));
  return a != nullptr && a->kind == memory_kind::managed && bytes != 0 && at + bytes <= begin + a->bytes;
}
error check_ranges(const state& s, const device_pointer* at, const std::size_t* bytes, std::size_t count) {
  if (at == nullptr || bytes == nullptr || count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i)
    if (!is_managed(s, at[i], bytes[i])) return cudaErrorInvalidValue;
  return cudaSuccess;
}
driver_status advise_all(const device_pointer* at, const std::size_t* bytes, std::size_t count,
                         unsigned long long flags, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return flags == 0 ? check_ranges(s, at, bytes, count) : cudaErrorInvalidValue; },
                      entry);
}

// Nothing moves: nothing was preferred, and nobody is named.
error tell_range(const state& s, void* to, std::size_t room, int which, device_pointer at, std::size_t bytes) {
  constexpr int nowhere = -2, read_mostly = 1, accessed_by = 3, most_attributes = 8;
  if (to == nullptr || room < 4 || room % 4 != 0 || which < 1 || which > most_attributes || !is_managed(s, at, bytes))
    return cudaErrorInvalidValue;
  if (which != accessed_by && room != 4) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < room; i += 4) {
    const int value = which == read_mostly ? 0 : nowhere;
    std::memcpy(static_cast<std::byte*>(to) + i, &value, sizeof value);
  }
  return cudaSuccess;
}

}  // namespace

CUDA_API driver_status cuMemcpyBatchAsync(device_pointer* to, device_pointer* from, std::size_t* bytes,
                                          std::size_t count, void* attributes, std::size_t* first,
                                          std::size_t attribute_count, std::size_t* failed, stream* on) {
  if (failed != nullptr) *failed = ~std::size_t{0};
  return copy_all(to, from, bytes, count, attributes, first, attribute_count, on);
}
CUDA_API driver_status cuMemcpyBatchAsync_v2(const device_pointer* to, const device_pointer* from,
                                             const std::size_t* bytes, std::size_t count, void* attributes,
                                             std::size_t* first, std::size_t attribute_count, stream* on) {
  return copy_all(to, from, bytes, count, attributes, first, attribute_count, on);
}
CUDA_API driver_status cuMemcpy3DBatchAsync(std::size_t count, box_copy* all, std::size_t* failed,
                                            unsigned long long flags, stream* on) {
  if (failed != nullptr) *failed = ~std::size_t{0};
  return copy_boxes(count, all, flags, on);
}
CUDA_API driver_status cuMemcpy3DBatchAsync_v2(std::size_t count, box_copy* all, unsigned long long flags, stream* on) {
  return copy_boxes(count, all, flags, on);
}
CUDA_API driver_status cuMemDiscardBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                              unsigned long long flags, stream*) {
  return advise_all(at, bytes, count, flags);
}
CUDA_API driver_status cuMemPrefetchBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                               memory_location*, std::size_t*, std::size_t, unsigned long long flags,
                                               stream*) {
  return advise_all(at, bytes, count, flags);
}
CUDA_API driver_status cuMemDiscardAndPrefetchBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                                         memory_location*, std::size_t*, std::size_t,
                                                         unsigned long long flags, stream*) {
  return advise_all(at, bytes, count, flags);
}
CUDA_API driver_status cuMemRangeGetAttribute(void* to, std::size_t room, int which, device_pointer at,
                                              std::size_t bytes) {
  return driver_call([&](state& s) { return tell_range(s, to, room, which, at, bytes); });
}
CUDA_API driver_status cuMemRangeGetAttributes(void** to, std::size_t* rooms, int* which, std::size_t count,
                                               device_pointer at, std::size_t bytes) {
  return driver_call([&](state& s) {
    if (to == nullptr || rooms == nullptr || which == nullptr || count == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (const error e = tell_range(s, to[i], rooms[i], which[i], at, bytes); e != cudaSuccess) return e;
    return cudaSuccess;
  });
}

// --- pools

CUDA_API driver_status cuMemPoolGetAccess(int* access, pool* p, const memory_location* where) {
  return driver_call([&](state&) {
    constexpr int on_device = 1, reads_and_writes = 3;
    if (p == nullptr || where == nullptr) return cudaErrorInvalidValue;
    return put(access, where->type == on_device && where->id == 0 ? reads_and_writes : 0);
  });
}
namespace {

driver_status tell_pool(pool** p, const memory_location* where, pool* told, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state&) { return where != nullptr ? put(p, told) : cudaErrorInvalidValue; }, entry);
}

}  // namespace
CUDA_API driver_status cuMemGetDefaultMemPool(pool** p, memory_location* where, int) {
  return tell_pool(p, where, default_pool());
}
CUDA_API driver_status cuMemGetMemPool(pool** p, memory_location* where, int) {
  return tell_pool(p, where, current_pool());
}
CUDA_API driver_status cuMemSetMemPool(memory_location* where, int, pool* p) {
  return driver_call([&](state&) { return where != nullptr ? set_current_pool(p) : cudaErrorInvalidValue; });
}
