// Entry points: memory of the device, of the host and of both; copies.
#include <algorithm>

#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/allocation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

// A copy to or from a variable. `made` sets what is not the variable.
template <class Make>
error copy_symbol(const void* symbol, std::size_t bytes, std::size_t offset, stream* on, Make make,
                  const char* entry = __builtin_FUNCTION()) {
  copy c;
  const error found = guarded(
      [&](state& s) {
        const variable* v = find_variable(s, symbol);
        if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
        if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
        c = make(v->address + offset);
        c.width = bytes;
        return cudaSuccess;
      },
      entry);
  return found == cudaSuccess ? enqueue(on, c, entry) : found;
}

bool is_kind(copy_kind k) { return k >= host_to_host && k <= by_address; }

error copy_on(copy c, stream* on, const char* entry = __builtin_FUNCTION()) {
  return is_kind(c.kind) ? enqueue(on, c, entry) : last_error = cudaErrorInvalidMemcpyDirection;
}

error copy_box(const copy_3d_parameters* p, stream* on) {
  if (p == nullptr) return last_error = cudaErrorInvalidValue;
  copy c;
  const error made = guarded([&](state& s) { return make_copy(s, *p, c); });
  return made == cudaSuccess ? copy_on(c, on) : made;
}

}  // namespace

// --- allocation

CUDA_API error cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded([&](state& s) { return allocate_on_device(s, pointer, bytes); });
}
CUDA_API error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return guarded([&](state& s) { return allocate_rows(s, pointer, pitch, width, height); });
}
CUDA_API error cudaMalloc3D(pitched_pointer* made, extent size) {
  if (made == nullptr) return last_error = cudaErrorInvalidValue;
  *made = {nullptr, 0, size.width, size.height};
  if (size.depth != 0 && size.height > emulate::most_device_bytes / size.depth)
    return last_error = cudaErrorMemoryAllocation;
  return cudaMallocPitch(&made->pointer, &made->pitch, size.width, size.height * size.depth);
}
CUDA_API error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded([&](state& s) { return allocate_for_both(s, pointer, bytes, memory_kind::managed, flags); });
}
CUDA_API error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return guarded([&](state& s) { return allocate_for_both(s, pointer, bytes, memory_kind::host, flags); });
}
CUDA_API error cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }
CUDA_API error cudaFree(void* pointer) {
  return guarded([&](state& s) { return release_when_idle(s, pointer, false); });
}
CUDA_API error cudaFreeHost(void* pointer) {
  return guarded([&](state& s) { return release_when_idle(s, pointer, true); });
}

CUDA_API error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return guarded([&](state& s) { return register_host(s, pointer, bytes, flags); });
}
CUDA_API error cudaHostUnregister(void* pointer) {
  return guarded([&](state& s) { return unregister_host(s, pointer); });
}
CUDA_API error cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return guarded([&](state& s) {
    const allocation* a = allocation_of(s, host).second;
    if (device == nullptr || a == nullptr || a->kind == memory_kind::device) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}
CUDA_API error cudaHostGetFlags(unsigned* flags, void* host) {
  return guarded([&](state& s) {
    const allocation* a = allocation_of(s, host).second;
    if (flags == nullptr || a == nullptr || a->kind == memory_kind::device) return cudaErrorInvalidValue;
    *flags = a->flags;
    return cudaSuccess;
  });
}

CUDA_API error cudaPointerGetAttributes(pointer_attributes* to, const void* pointer) {
  return guarded([&](state& s) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    void* p = const_cast<void*>(pointer);
    const pointer_facts f = facts_of(s, address_of(pointer));
    if (!f.known) {
      to->device = -2;  // cudaInvalidDeviceId
      to->host_pointer = p;
      return cudaSuccess;
    }
    to->type = f.kind == memory_kind::device    ? device_memory_type
               : f.kind == memory_kind::managed ? managed_memory
                                                : host_memory;
    to->device_pointer = p;
    to->host_pointer = f.on_host ? p : nullptr;
    return cudaSuccess;
  });
}
CUDA_API error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return guarded([&](state& s) {
    if (total != nullptr) *total = device_memory_bytes();
    if (free != nullptr) *free = free_bytes(s);
    return cudaSuccess;
  });
}

// --- in the order of a stream

CUDA_API error cudaMallocAsync(void** pointer, std::size_t bytes, stream* on) {
  return guarded([&](state& s) { return allocate_in_order(s, pointer, bytes, current_pool(), on); });
}
CUDA_API error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, pool* p, stream* on) {
  return guarded([&](state& s) { return allocate_in_order(s, pointer, bytes, p, on); });
}
CUDA_API error cudaFreeAsync(void* pointer, stream* on) {
  return pointer == nullptr ? cudaSuccess : enqueue(on, release_memory{address_of(pointer)});
}

CUDA_API error cudaDeviceGetDefaultMemPool(pool** p, int device) {
  return guarded([&](state&) {
    if (p == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *p = default_pool();
    return cudaSuccess;
  });
}
CUDA_API error cudaDeviceGetMemPool(pool** p, int device) {
  return guarded([&](state&) {
    if (p == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *p = current_pool();
    return cudaSuccess;
  });
}
CUDA_API error cudaDeviceSetMemPool(int device, pool* p) {
  return guarded([&](state&) { return device == 0 ? set_current_pool(p) : cudaErrorInvalidDevice; });
}
CUDA_API error cudaMemPoolCreate(pool** p, const pool_properties* properties) {
  return guarded([&](state&) { return make_pool(p, properties); });
}
CUDA_API error cudaMemPoolDestroy(pool* p) {
  return guarded([&](state&) { return destroy_pool(p); });
}
CUDA_API error cudaMemPoolTrimTo(pool* p, std::size_t bytes) {
  return guarded([&](state&) { return trim_pool(p, bytes); });
}
CUDA_API error cudaMemPoolSetAttribute(pool* p, int which, void* value) {
  return guarded([&](state&) { return set_pool_attribute(p, which, value); });
}
CUDA_API error cudaMemPoolGetAttribute(pool* p, int which, void* value) {
  return guarded([&](state&) { return pool_attribute(p, which, value); });
}
CUDA_API error cudaMemPoolSetAccess(pool*, const void*, std::size_t) { return cudaSuccess; }

// --- copies

CUDA_API error cudaMemcpy(void* to, const void* from, std::size_t bytes, copy_kind kind) {
  return copy_on(row(to, from, bytes, kind), until_done);
}
CUDA_API error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, copy_kind kind, stream* on) {
  return copy_on(row(to, from, bytes, kind), on);
}
CUDA_API error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return last_error = cudaErrorInvalidDevice;
  return copy_on(row(to, from, bytes, by_address), until_done);
}
CUDA_API error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                   stream* on) {
  if (to_device != 0 || from_device != 0) return last_error = cudaErrorInvalidDevice;
  return copy_on(row(to, from, bytes, by_address), on);
}
CUDA_API error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                 std::size_t width, std::size_t height, copy_kind kind, stream* on) {
  if (height > 0 && (width > to_pitch || width > from_pitch)) return last_error = cudaErrorInvalidPitchValue;
  return copy_on(rectangle(to, to_pitch, from, from_pitch, width, height, kind), on);
}
CUDA_API error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t height, copy_kind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, until_done);
}
CUDA_API error cudaMemcpy3D(const copy_3d_parameters* p) { return copy_box(p, until_done); }
CUDA_API error cudaMemcpy3DAsync(const copy_3d_parameters* p, stream* on) { return copy_box(p, on); }

namespace {

// Between devices, of which there is one.
struct peer_copy_parameters {
  void* from_array;
  position from_position;
  pitched_pointer from;
  int from_device;
  void* to_array;
  position to_position;
  pitched_pointer to;
  int to_device;
  extent size;
};
error copy_peer_box(const peer_copy_parameters* p, stream* on) {
  if (p == nullptr) return last_error = cudaErrorInvalidValue;
  if (p->from_device != 0 || p->to_device != 0) return last_error = cudaErrorInvalidDevice;
  copy_3d_parameters box{};
  box.from_array = static_cast<decltype(box.from_array)>(p->from_array);
  box.from_position = p->from_position;
  box.from = p->from;
  box.to_array = static_cast<decltype(box.to_array)>(p->to_array);
  box.to_position = p->to_position;
  box.to = p->to;
  box.size = p->size;
  box.kind = by_address;
  return copy_box(&box, on);
}

}  // namespace

CUDA_API error cudaMemcpy3DPeer(const peer_copy_parameters* p) { return copy_peer_box(p, until_done); }
CUDA_API error cudaMemcpy3DPeerAsync(const peer_copy_parameters* p, stream* on) { return copy_peer_box(p, on); }

CUDA_API error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                       copy_kind kind, stream* on) {
  return copy_symbol(symbol, bytes, offset, on,
                     [&](std::uint64_t address) { return row(pointer_to(address), from, bytes, kind); });
}
CUDA_API error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                  copy_kind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, until_done);
}
CUDA_API error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                         copy_kind kind, stream* on) {
  return copy_symbol(symbol, bytes, offset, on,
                     [&](std::uint64_t address) { return row(to, pointer_to(address), bytes, kind); });
}
CUDA_API error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                    copy_kind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, until_done);
}
CUDA_API error cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return guarded([&](state& s) {
    const variable* v = find_variable(s, symbol);
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
    *pointer = pointer_to(v->address);
    return cudaSuccess;
  });
}
CUDA_API error cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return guarded([&](state& s) {
    const variable* v = find_variable(s, symbol);
    if (bytes == nullptr) return cudaErrorInvalidValue;
    if (v == nullptr) return cudaErrorInvalidSymbol;
    *bytes = v->bytes;
    return cudaSuccess;
  });
}

CUDA_API error cudaMemsetAsync(void* to, int value, std::size_t bytes, stream* on) {
  return enqueue(on, fill_of(to, static_cast<unsigned>(value), bytes));
}
CUDA_API error cudaMemset(void* to, int value, std::size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }
CUDA_API error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                 stream* on) {
  return enqueue(on, fill_of(to, pitch, static_cast<unsigned>(value), width, height));
}
CUDA_API error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
CUDA_API error cudaMemset3DAsync(pitched_pointer to, int value, extent size, stream* on) {
  return enqueue(on, fill_of(to, static_cast<unsigned>(value), size));
}
CUDA_API error cudaMemset3D(pitched_pointer to, int value, extent size) {
  return cudaMemset3DAsync(to, value, size, nullptr);
}

CUDA_API channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }
CUDA_API error cudaStreamAttachMemAsync(stream*, void*, std::size_t, unsigned) { return cudaSuccess; }
