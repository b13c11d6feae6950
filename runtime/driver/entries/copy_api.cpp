// The driver's functions for copies and fills, one at a time or in batches.
#include <algorithm>

#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error copy_row(state& s, device_pointer to, device_pointer from, std::size_t bytes, copy_kind kind, stream* on) {
  return enqueue(s, on, row(pointer_to(to), pointer_to(from), bytes, kind));
}
error fill_row(state& s, device_pointer to, unsigned value, std::size_t count, unsigned bytes, stream* on,
               bool waits = false) {
  const fill f = fill_of(pointer_to(to), value, count, bytes);
  return enqueue(s, on, waits ? waiting_fill(f) : f);
}
error fill_rows(state& s, device_pointer to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
                unsigned bytes, stream* on, bool waits = false) {
  const fill f = fill_of(pointer_to(to), pitch, value, width, height, bytes);
  return enqueue(s, on, waits ? waiting_fill(f) : f);
}

// Finds the source or the destination of a copy: its first byte, and the distances in bytes between rows and between
// slices.
error side_given(state& s, const copy& c, driver_memory_type type, const void* host, device_pointer device, void* in,
                 std::size_t x, std::size_t y, std::size_t z, array_side& side) {
  if (type == in_array) {
    const array* a = find_array(s, in);
    return a == nullptr ? cudaErrorInvalidResourceHandle : side_of(*a, x, y, z, c, side);
  }
  if (type != on_host && type != on_device && type != unified) return cudaErrorInvalidValue;
  side.begin = (type == on_host ? address_of(host) : device) + z * side.slice + y * side.pitch + x;
  return cudaSuccess;
}

copy_kind kind_of(driver_memory_type from, driver_memory_type to) {
  if (from == unified || to == unified) return by_address;
  if (from == on_host) return to == on_host ? host_to_host : host_to_device;
  return to == on_host ? device_to_host : device_to_device;
}

error copy_box(state& s, const driver_copy_3d* p, stream* on) {
  copy c;
  const error e = p != nullptr ? make_copy(s, *p, c) : cudaErrorInvalidValue;
  return e == cudaSuccess ? enqueue(s, on, c) : e;
}

error copy_rectangle(state& s, const driver_copy_2d* p, stream* on) {
  if (p == nullptr) return cudaErrorInvalidValue;
  driver_copy_3d box{};
  box.from_x = p->from_x;
  box.from_y = p->from_y;
  box.from_type = p->from_type;
  box.from_host = p->from_host;
  box.from_device = p->from_device;
  box.from_pitch = p->from_pitch;
  box.to_x = p->to_x;
  box.to_y = p->to_y;
  box.to_type = p->to_type;
  box.to_host = p->to_host;
  box.to_device = p->to_device;
  box.from_array = p->from_array;
  box.to_array = p->to_array;
  box.to_pitch = p->to_pitch;
  box.width = p->width;
  box.height = p->height;
  box.depth = 1;
  return copy_box(s, &box, on);
}

// The source or the destination of a copy of one row: memory, or a row of an array.
struct row_side {
  driver_memory_type type;
  device_pointer at;
  void* in = nullptr;
  std::size_t x = 0;
};
row_side array_row(void* in, std::size_t x) { return {in_array, 0, in, x}; }
row_side device_row(device_pointer at) { return {on_device, at}; }
row_side host_row(const void* at) { return {on_host, address_of(at)}; }

error copy_array_row(state& s, const row_side& from, const row_side& to, std::size_t bytes, stream* on) {
  driver_copy_3d p{};
  p.from_type = from.type, p.from_device = from.at, p.from_array = from.in, p.from_x = from.x;
  p.to_type = to.type, p.to_device = to.at, p.to_array = to.in, p.to_x = to.x;
  p.from_host = pointer_to(from.at), p.to_host = pointer_to(to.at);
  p.width = bytes;
  p.height = p.depth = 1;
  return copy_box(s, &p, on);
}

struct batch {
  const device_pointer *to, *from;
  const std::size_t* bytes;
  std::size_t count;
  const void* attributes;
  const std::size_t* first;
  std::size_t attribute_count;
};
// Sets the index of the failed copy to the value for "none". Before CUDA 13, cuMemcpyBatchAsync returned this index.
void none_failed(std::size_t* failed) {
  if (failed != nullptr) *failed = ~std::size_t{0};
}

error copy_all(state& s, const batch& b, stream* on) {
  const bool is_sound = b.to != nullptr && b.from != nullptr && b.bytes != nullptr && b.count != 0 &&
                        b.attributes != nullptr && b.first != nullptr && b.attribute_count != 0 &&
                        b.attribute_count <= b.count && b.first[0] == 0 && on != nullptr;
  if (!is_sound || !std::is_sorted(b.first, b.first + b.attribute_count)) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < b.count; ++i)
    if (const error e = copy_row(s, b.to[i], b.from[i], b.bytes[i], by_address, on); e != cudaSuccess) return e;
  return cudaSuccess;
}

error copy_boxes(state& s, std::size_t count, const box_copy* all, unsigned long long flags, stream* on) {
  if (count == 0 || all == nullptr || flags != 0 || on == nullptr) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    const box_copy& b = all[i];
    if (b.from.type != box_copy::in_memory || b.to.type != box_copy::in_memory) return cudaErrorNotSupported;
    if (b.size.width == 0 || b.size.height == 0 || b.size.depth == 0) return cudaErrorInvalidValue;
    const auto pitch = [&](const box_copy::side& at) { return at.row_length != 0 ? at.row_length : b.size.width; };
    const auto rows = [&](const box_copy::side& at) { return at.layer_height != 0 ? at.layer_height : b.size.height; };
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
}

}  // namespace

error bankwise::cuda::make_copy(state& s, const driver_copy_3d& p, copy& made) {
  const auto pitch = [&](std::size_t given) { return given != 0 ? given : p.width; };
  const auto rows = [&](std::size_t given) { return given != 0 ? given : p.height; };
  made = {};
  made.width = p.width;
  made.height = p.height;
  made.depth = p.depth;
  made.kind = kind_of(p.from_type, p.to_type);
  array_side from{0, pitch(p.from_pitch), pitch(p.from_pitch) * rows(p.from_height)};
  array_side to{0, pitch(p.to_pitch), pitch(p.to_pitch) * rows(p.to_height)};
  if (const error e = side_given(s, made, p.from_type, p.from_host, p.from_device, p.from_array, p.from_x, p.from_y,
                                 p.from_z, from);
      e != cudaSuccess)
    return e;
  if (const error e = side_given(s, made, p.to_type, p.to_host, p.to_device, p.to_array, p.to_x, p.to_y, p.to_z, to);
      e != cudaSuccess)
    return e;
  made.from = from.begin, made.from_pitch = from.pitch, made.from_slice = from.slice;
  made.to = to.begin, made.to_pitch = to.pitch, made.to_slice = to.slice;
  return cudaSuccess;
}

#define ENTRIES "runtime/driver/entries/copy_api.def"
#include "runtime/driver/entries/entry_functions.def"
