// Entry points of the driver: copies and fills.
#include "allocation.hpp"
#include "driver_call.hpp"
#include "operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

driver_status run_copy(const copy& c, stream* on, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return enqueue(s, on, c); }, entry);
}
driver_status run_fill(const fill& f, stream* on, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return enqueue(s, on, f); }, entry);
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

// One side of a copy: its first byte, or why there is none.
error side_of(driver_memory_type type, const void* host, device_pointer device, std::size_t offset,
              std::uint64_t& begin) {
  if (type == in_array) {
    say("a copy from or to an array is not executed yet");
    return cudaErrorNotSupported;
  }
  if (type != on_host && type != on_device && type != unified) return cudaErrorInvalidValue;
  begin = (type == on_host ? address_of(host) : device) + offset;
  return cudaSuccess;
}

copy_kind kind_of(driver_memory_type from, driver_memory_type to) {
  if (from == unified || to == unified) return by_address;
  if (from == on_host) return to == on_host ? host_to_host : host_to_device;
  return to == on_host ? device_to_host : device_to_device;
}

driver_status copy_box(const driver_copy_3d* p, stream* on) {
  return context_call([&](state& s) {
    copy c;
    const error e = p != nullptr ? make_copy(*p, c) : cudaErrorInvalidValue;
    return e == cudaSuccess ? enqueue(s, on, c) : e;
  });
}

driver_status copy_rectangle(const driver_copy_2d* p, stream* on) {
  if (p == nullptr) return copy_box(nullptr, on);
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
  box.to_pitch = p->to_pitch;
  box.width = p->width;
  box.height = p->height;
  box.depth = 1;
  return copy_box(&box, on);
}

}  // namespace

error bankwise::cuda::make_copy(const driver_copy_3d& p, copy& c) {
  const auto pitch = [&](std::size_t given) { return given != 0 ? given : p.width; };
  const auto rows = [&](std::size_t given) { return given != 0 ? given : p.height; };
  c = {};
  c.width = p.width;
  c.height = p.height;
  c.depth = p.depth;
  c.kind = kind_of(p.from_type, p.to_type);
  c.from_pitch = pitch(p.from_pitch);
  c.to_pitch = pitch(p.to_pitch);
  c.from_slice = c.from_pitch * rows(p.from_height);
  c.to_slice = c.to_pitch * rows(p.to_height);
  if (const error e = side_of(p.from_type, p.from_host, p.from_device,
                              p.from_z * c.from_slice + p.from_y * c.from_pitch + p.from_x, c.from);
      e != cudaSuccess)
    return e;
  return side_of(p.to_type, p.to_host, p.to_device, p.to_z * c.to_slice + p.to_y * c.to_pitch + p.to_x, c.to);
}

// --- copies

CUDA_API driver_status cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, stream* on) {
  return run_row(to, from, bytes, by_address, on);
}
CUDA_API driver_status cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUDA_API driver_status cuMemcpyPeerAsync(device_pointer to, context*, device_pointer from, context*, std::size_t bytes,
                                         stream* on) {
  return run_row(to, from, bytes, device_to_device, on);
}
CUDA_API driver_status cuMemcpyPeer(device_pointer to, context*, device_pointer from, context*, std::size_t bytes) {
  return run_row(to, from, bytes, device_to_device, nullptr);
}
CUDA_API driver_status cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, stream* on) {
  return to_device(to, from, bytes, on);
}
CUDA_API driver_status cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
  return to_device(to, from, bytes, nullptr);
}
CUDA_API driver_status cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, stream* on) {
  return to_host(to, from, bytes, on);
}
CUDA_API driver_status cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
  return to_host(to, from, bytes, nullptr);
}
CUDA_API driver_status cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, std::size_t bytes, stream* on) {
  return run_row(to, from, bytes, device_to_device, on);
}
CUDA_API driver_status cuMemcpyDtoD_v2(device_pointer to, device_pointer from, std::size_t bytes) {
  return run_row(to, from, bytes, device_to_device, nullptr);
}
CUDA_API driver_status cuMemcpy2DAsync_v2(const driver_copy_2d* p, stream* on) { return copy_rectangle(p, on); }
CUDA_API driver_status cuMemcpy2D_v2(const driver_copy_2d* p) { return copy_rectangle(p, nullptr); }
CUDA_API driver_status cuMemcpy2DUnaligned_v2(const driver_copy_2d* p) { return copy_rectangle(p, nullptr); }
CUDA_API driver_status cuMemcpy3DAsync_v2(const driver_copy_3d* p, stream* on) { return copy_box(p, on); }
CUDA_API driver_status cuMemcpy3D_v2(const driver_copy_3d* p) { return copy_box(p, nullptr); }

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
