// Entry points of the driver: copies and fills.
#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

driver_status run_copy(const copy& c, stream* on, const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on, [&](state& s) { return enqueue(s, on, c); }, entry);
}
driver_status run_fill(const fill& f, stream* on, const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on, [&](state& s) { return enqueue(s, on, f); }, entry);
}

driver_status run_row(device_pointer to, device_pointer from, std::size_t bytes, copy_kind kind, stream* on,
                      const char* entry = __builtin_FUNCTION()) {
  return run_copy(row(pointer_to(to), pointer_to(from), bytes, kind), on, entry);
}
driver_status to_device(device_pointer to, const void* from, std::size_t bytes, stream* on,
                        const char* entry = __builtin_FUNCTION()) {
  return run_row(to, address_of(from), bytes, host_to_device, on, entry);
}
driver_status to_host(void* to, device_pointer from, std::size_t bytes, stream* on,
                      const char* entry = __builtin_FUNCTION()) {
  return run_row(address_of(to), from, bytes, device_to_host, on, entry);
}

// One side of a copy: its first byte and distances, or why there is none.
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

auto box_copied(const driver_copy_3d* p, stream* on) {
  return [p, on](state& s) {
    copy c;
    const error e = p != nullptr ? make_copy(s, *p, c) : cudaErrorInvalidValue;
    return e == cudaSuccess ? enqueue(s, on, c) : e;
  };
}
driver_status copy_box(const driver_copy_3d* p, stream* on, const char* entry = __builtin_FUNCTION()) {
  return stream_call(on, box_copied(p, on), entry);
}
// Copies between contexts that the caller names, whichever context is current.
driver_status copy_between(const driver_copy_3d* p, stream* on, const char* entry = __builtin_FUNCTION()) {
  return driver_call(box_copied(p, on), entry);
}
driver_status copy_between(device_pointer to, device_pointer from, std::size_t bytes, stream* on,
                           const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) { return enqueue(s, on, row(pointer_to(to), pointer_to(from), bytes, device_to_device)); }, entry);
}

driver_status copy_rectangle(const driver_copy_2d* p, stream* on, const char* entry = __builtin_FUNCTION()) {
  if (p == nullptr) return copy_box(nullptr, on, entry);
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
  return copy_box(&box, on, entry);
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

// --- copies

CUDA_API driver_status cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, stream* on) {
  return run_row(to, from, bytes, by_address, on);
}
CUDA_API driver_status cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, until_done);
}
CUDA_API driver_status cuMemcpyPeerAsync(device_pointer to, context*, device_pointer from, context*, std::size_t bytes,
                                         stream* on) {
  return copy_between(to, from, bytes, on);
}
CUDA_API driver_status cuMemcpyPeer(device_pointer to, context*, device_pointer from, context*, std::size_t bytes) {
  return copy_between(to, from, bytes, until_done);
}
CUDA_API driver_status cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, stream* on) {
  return to_device(to, from, bytes, on);
}
CUDA_API driver_status cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
  return to_device(to, from, bytes, until_done);
}
CUDA_API driver_status cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, stream* on) {
  return to_host(to, from, bytes, on);
}
CUDA_API driver_status cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
  return to_host(to, from, bytes, until_done);
}
CUDA_API driver_status cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, std::size_t bytes, stream* on) {
  return run_row(to, from, bytes, device_to_device, on);
}
CUDA_API driver_status cuMemcpyDtoD_v2(device_pointer to, device_pointer from, std::size_t bytes) {
  return run_row(to, from, bytes, device_to_device, until_done);
}
CUDA_API driver_status cuMemcpy2DAsync_v2(const driver_copy_2d* p, stream* on) { return copy_rectangle(p, on); }
CUDA_API driver_status cuMemcpy2D_v2(const driver_copy_2d* p) { return copy_rectangle(p, until_done); }
CUDA_API driver_status cuMemcpy2DUnaligned_v2(const driver_copy_2d* p) { return copy_rectangle(p, until_done); }
CUDA_API driver_status cuMemcpy3DAsync_v2(const driver_copy_3d* p, stream* on) { return copy_box(p, on); }
CUDA_API driver_status cuMemcpy3D_v2(const driver_copy_3d* p) { return copy_box(p, until_done); }

// With a context in the place of what a copy in one context leaves unused.
CUDA_API driver_status cuMemcpy3DPeerAsync(const driver_copy_3d* p, stream* on) { return copy_between(p, on); }
CUDA_API driver_status cuMemcpy3DPeer(const driver_copy_3d* p) { return copy_between(p, until_done); }

namespace {

// A row of an array and memory, or another array.
driver_status copy_row(driver_copy_3d p, std::size_t bytes, stream* on) {
  p.width = bytes;
  p.height = p.depth = 1;
  return copy_box(&p, on);
}
driver_copy_3d to_array_row(void* to, std::size_t at) {
  driver_copy_3d p{};
  p.to_type = in_array, p.to_array = to, p.to_x = at;
  return p;
}
driver_copy_3d from_array_row(void* from, std::size_t at) {
  driver_copy_3d p{};
  p.from_type = in_array, p.from_array = from, p.from_x = at;
  return p;
}

}  // namespace

CUDA_API driver_status cuMemcpyDtoA_v2(void* to, std::size_t at, device_pointer from, std::size_t bytes) {
  driver_copy_3d p = to_array_row(to, at);
  p.from_type = on_device, p.from_device = from;
  return copy_row(p, bytes, until_done);
}
CUDA_API driver_status cuMemcpyAtoD_v2(device_pointer to, void* from, std::size_t at, std::size_t bytes) {
  driver_copy_3d p = from_array_row(from, at);
  p.to_type = on_device, p.to_device = to;
  return copy_row(p, bytes, until_done);
}
CUDA_API driver_status cuMemcpyHtoAAsync_v2(void* to, std::size_t at, const void* from, std::size_t bytes, stream* on) {
  driver_copy_3d p = to_array_row(to, at);
  p.from_type = on_host, p.from_host = from;
  return copy_row(p, bytes, on);
}
CUDA_API driver_status cuMemcpyHtoA_v2(void* to, std::size_t at, const void* from, std::size_t bytes) {
  return cuMemcpyHtoAAsync_v2(to, at, from, bytes, until_done);
}
CUDA_API driver_status cuMemcpyAtoHAsync_v2(void* to, void* from, std::size_t at, std::size_t bytes, stream* on) {
  driver_copy_3d p = from_array_row(from, at);
  p.to_type = on_host, p.to_host = to;
  return copy_row(p, bytes, on);
}
CUDA_API driver_status cuMemcpyAtoH_v2(void* to, void* from, std::size_t at, std::size_t bytes) {
  return cuMemcpyAtoHAsync_v2(to, from, at, bytes, until_done);
}
CUDA_API driver_status cuMemcpyAtoA_v2(void* to, std::size_t to_at, void* from, std::size_t from_at,
                                       std::size_t bytes) {
  driver_copy_3d p = to_array_row(to, to_at);
  p.from_type = in_array, p.from_array = from, p.from_x = from_at;
  return copy_row(p, bytes, until_done);
}

// --- fills

CUDA_API driver_status cuMemsetD8Async(device_pointer to, unsigned char value, std::size_t count, stream* on) {
  return run_fill(fill_of(pointer_to(to), value, count, 1), on);
}
CUDA_API driver_status cuMemsetD16Async(device_pointer to, unsigned short value, std::size_t count, stream* on) {
  return run_fill(fill_of(pointer_to(to), value, count, 2), on);
}
CUDA_API driver_status cuMemsetD32Async(device_pointer to, unsigned value, std::size_t count, stream* on) {
  return run_fill(fill_of(pointer_to(to), value, count, 4), on);
}
CUDA_API driver_status cuMemsetD8_v2(device_pointer to, unsigned char value, std::size_t count) {
  return cuMemsetD8Async(to, value, count, nullptr);
}
CUDA_API driver_status cuMemsetD16_v2(device_pointer to, unsigned short value, std::size_t count) {
  return cuMemsetD16Async(to, value, count, nullptr);
}
CUDA_API driver_status cuMemsetD32_v2(device_pointer to, unsigned value, std::size_t count) {
  return cuMemsetD32Async(to, value, count, nullptr);
}
CUDA_API driver_status cuMemsetD2D8Async(device_pointer to, std::size_t pitch, unsigned char value, std::size_t width,
                                         std::size_t height, stream* on) {
  return run_fill(fill_of(pointer_to(to), pitch, value, width, height, 1), on);
}
CUDA_API driver_status cuMemsetD2D16Async(device_pointer to, std::size_t pitch, unsigned short value, std::size_t width,
                                          std::size_t height, stream* on) {
  return run_fill(fill_of(pointer_to(to), pitch, value, width, height, 2), on);
}
CUDA_API driver_status cuMemsetD2D32Async(device_pointer to, std::size_t pitch, unsigned value, std::size_t width,
                                          std::size_t height, stream* on) {
  return run_fill(fill_of(pointer_to(to), pitch, value, width, height, 4), on);
}
CUDA_API driver_status cuMemsetD2D8_v2(device_pointer to, std::size_t pitch, unsigned char value, std::size_t width,
                                       std::size_t height) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, nullptr);
}
CUDA_API driver_status cuMemsetD2D16_v2(device_pointer to, std::size_t pitch, unsigned short value, std::size_t width,
                                        std::size_t height) {
  return cuMemsetD2D16Async(to, pitch, value, width, height, nullptr);
}
CUDA_API driver_status cuMemsetD2D32_v2(device_pointer to, std::size_t pitch, unsigned value, std::size_t width,
                                        std::size_t height) {
  return cuMemsetD2D32Async(to, pitch, value, width, height, nullptr);
}
