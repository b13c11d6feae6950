// Entry points of the driver: memory, copies, addresses and memory apart.
#include <algorithm>
#include <cstring>

#include "allocation.hpp"
#include "device.hpp"
#include "driver_call.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

// What the runtime's functions fill in as a pointer, the driver's take as a number.
template <class Allocate>
driver_status allocate(device_pointer* to, Allocate body, const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        void* at = nullptr;
        if (to == nullptr) return cudaErrorInvalidValue;
        const error e = body(s, &at);
        *to = address_of(at);
        return e;
      },
      entry);
}

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
    if (p == nullptr) return cudaErrorInvalidValue;
    const auto pitch = [&](std::size_t given) { return given != 0 ? given : p->width; };
    const auto rows = [&](std::size_t given) { return given != 0 ? given : p->height; };
    copy c;
    c.width = p->width;
    c.height = p->height;
    c.depth = p->depth;
    c.kind = kind_of(p->from_type, p->to_type);
    c.from_pitch = pitch(p->from_pitch);
    c.to_pitch = pitch(p->to_pitch);
    c.from_slice = c.from_pitch * rows(p->from_height);
    c.to_slice = c.to_pitch * rows(p->to_height);
    if (const error e = side_of(p->from_type, p->from_host, p->from_device,
                                p->from_z * c.from_slice + p->from_y * c.from_pitch + p->from_x, c.from);
        e != cudaSuccess)
      return e;
    if (const error e =
            side_of(p->to_type, p->to_host, p->to_device, p->to_z * c.to_slice + p->to_y * c.to_pitch + p->to_x, c.to);
        e != cudaSuccess)
      return e;
    return enqueue(s, on, c);
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

template <class T>
error put_as(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return cudaSuccess;
}

error tell_pointer(state& s, void* to, int which, device_pointer at) {
  const pointer_facts f = facts_of(s, at);
  if (to == nullptr) return cudaErrorInvalidValue;
  if (which == pointer_is_mapped) return put_as(to, f.known);
  if (!f.known) return cudaErrorInvalidValue;
  const bool of_host = f.kind == memory_kind::host || f.kind == memory_kind::registered;
  switch (which) {
    case pointer_context: return put_as(to, f.owner);
    case pointer_memory_type: return put_as(to, of_host ? on_host : on_device);
    case pointer_on_device: return put_as(to, at);
    case pointer_on_host: return f.on_host ? put_as(to, at) : cudaErrorInvalidValue;
    case pointer_buffer_id: return put_as(to, f.begin);
    case pointer_is_managed: return put_as(to, f.kind == memory_kind::managed);
    case pointer_device: return put_as(to, 0);
    case pointer_begin: return put_as(to, f.begin);
    case pointer_bytes: return put_as(to, static_cast<std::size_t>(f.bytes));
    case pointer_access: return put_as(to, 3);
    default: return cudaErrorNotSupported;
  }
}

}  // namespace

// --- allocation

CUDA_API driver_status cuMemAlloc_v2(device_pointer* to, std::size_t bytes) {
  return allocate(
      to, [&](state& s, void** at) { return bytes != 0 ? allocate_on_device(s, at, bytes) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuMemAllocPitch_v2(device_pointer* to, std::size_t* pitch, std::size_t width, std::size_t height,
                                          unsigned element_bytes) {
  return allocate(to, [&](state& s, void** at) {
    if (width == 0 || height == 0 || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
      return cudaErrorInvalidValue;
    return allocate_rows(s, at, pitch, width, height);
  });
}
CUDA_API driver_status cuMemAllocManaged(device_pointer* to, std::size_t bytes, unsigned flags) {
  return allocate(to,
                  [&](state& s, void** at) { return allocate_for_both(s, at, bytes, memory_kind::managed, flags); });
}
CUDA_API driver_status cuMemAllocAsync(device_pointer* to, std::size_t bytes, stream* on) {
  return allocate(to, [&](state& s, void** at) { return allocate_in_order(s, at, bytes, on); });
}
CUDA_API driver_status cuMemAllocFromPoolAsync(device_pointer* to, std::size_t bytes, pool*, stream* on) {
  return cuMemAllocAsync(to, bytes, on);
}
CUDA_API driver_status cuMemFree_v2(device_pointer at) {
  return context_call([&](state& s) { return release(s, pointer_to(at), false); });
}
CUDA_API driver_status cuMemFreeAsync(device_pointer at, stream* on) {
  return context_call([&](state& s) { return enqueue(s, on, release_memory{at}); });
}
CUDA_API driver_status cuMemHostAlloc(void** to, std::size_t bytes, unsigned flags) {
  return context_call([&](state& s) { return allocate_for_both(s, to, bytes, memory_kind::host, flags); });
}
CUDA_API driver_status cuMemAllocHost_v2(void** to, std::size_t bytes) { return cuMemHostAlloc(to, bytes, 0); }
CUDA_API driver_status cuMemFreeHost(void* at) {
  return context_call([&](state& s) { return release(s, at, true); });
}
CUDA_API driver_status cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
  return context_call([&](state& s) { return register_host(s, at, bytes, flags); });
}
CUDA_API driver_status cuMemHostUnregister(void* at) {
  return context_call([&](state& s) { return unregister_host(s, at); });
}
CUDA_API driver_status cuMemHostGetDevicePointer_v2(device_pointer* to, void* at, unsigned) {
  return context_call([&](state& s) {
    const allocation* a = allocation_of(s, at).second;
    return a != nullptr && a->kind != memory_kind::device ? put(to, address_of(at)) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuMemHostGetFlags(unsigned* flags, void* at) {
  return context_call([&](state& s) {
    const allocation* a = allocation_of(s, at).second;
    return a != nullptr && a->kind != memory_kind::device ? put(flags, a->flags) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuMemGetAddressRange_v2(device_pointer* begin, std::size_t* bytes, device_pointer at) {
  return context_call([&](state& s) {
    const pointer_facts f = facts_of(s, at);
    if (!f.known) return cudaErrorSymbolNotFound;
    if (begin != nullptr) *begin = f.begin;
    if (bytes != nullptr) *bytes = f.bytes;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return context_call([&](state& s) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = device_memory_bytes();
    *free = free_bytes(s);
    return cudaSuccess;
  });
}

CUDA_API driver_status cuPointerGetAttribute(void* to, pointer_attribute which, device_pointer at) {
  return driver_call([&](state& s) { return tell_pointer(s, to, which, at); });
}
// Of what has no answer the value is zero.
CUDA_API driver_status cuPointerGetAttributes(unsigned count, const pointer_attribute* which, void** to,
                                              device_pointer at) {
  return driver_call([&](state& s) {
    if (which == nullptr || to == nullptr) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      const bool is_number =
          which[i] == pointer_memory_type || which[i] == pointer_device || which[i] == pointer_access;
      const bool is_flag = which[i] == pointer_is_managed || which[i] == pointer_is_mapped;
      if (to[i] == nullptr) return cudaErrorInvalidValue;
      if (tell_pointer(s, to[i], which[i], at) != cudaSuccess) std::memset(to[i], 0, is_flag ? 1 : is_number ? 4 : 8);
    }
    return cudaSuccess;
  });
}
CUDA_API driver_status cuPointerSetAttribute(const void*, pointer_attribute, device_pointer) {
  return driver_call([](state&) { return cudaSuccess; });
}

// --- pools

CUDA_API driver_status cuDeviceGetDefaultMemPool(pool** p, int device) {
  return driver_call([&](state&) { return device == 0 ? put(p, default_pool()) : cudaErrorInvalidDevice; });
}
CUDA_API driver_status cuDeviceGetMemPool(pool** p, int device) { return cuDeviceGetDefaultMemPool(p, device); }
CUDA_API driver_status cuDeviceSetMemPool(int, pool*) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemPoolCreate(pool** p, const pool_properties*) {
  return driver_call([&](state&) { return make_pool(p); });
}
CUDA_API driver_status cuMemPoolDestroy(pool*) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemPoolTrimTo(pool*, std::size_t) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemPoolSetAttribute(pool* p, int which, void* value) {
  return driver_call([&](state&) { return set_pool_attribute(p, which, value); });
}
CUDA_API driver_status cuMemPoolGetAttribute(pool* p, int which, void* value) {
  return driver_call([&](state& s) { return pool_attribute(s, p, which, value); });
}
CUDA_API driver_status cuMemPoolSetAccess(pool*, const access_description*, std::size_t) { return CUDA_SUCCESS; }

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

// --- advice, which changes nothing

CUDA_API driver_status cuMemAdvise(device_pointer, std::size_t, int, int) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemAdvise_v2(device_pointer, std::size_t, int, memory_location) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemPrefetchAsync(device_pointer, std::size_t, int, stream*) { return CUDA_SUCCESS; }
CUDA_API driver_status cuMemPrefetchAsync_v2(device_pointer, std::size_t, memory_location, unsigned, stream*) {
  return CUDA_SUCCESS;
}

// --- addresses and memory apart

CUDA_API driver_status cuMemGetAllocationGranularity(std::size_t* bytes, const allocation_properties*, int) {
  return driver_call([&](state&) { return put(bytes, static_cast<std::size_t>(mapping_granularity)); });
}
CUDA_API driver_status cuMemAddressReserve(device_pointer* to, std::size_t bytes, std::size_t alignment, device_pointer,
                                           unsigned long long) {
  return driver_call([&](state& s) { return reserve_addresses(s, to, bytes, alignment); });
}
CUDA_API driver_status cuMemAddressFree(device_pointer at, std::size_t bytes) {
  return driver_call([&](state& s) { return free_addresses(s, at, bytes); });
}
CUDA_API driver_status cuMemCreate(physical_memory** handle, std::size_t bytes, const allocation_properties* p,
                                   unsigned long long) {
  return driver_call([&](state& s) {
    if (p == nullptr) return cudaErrorInvalidValue;
    if (p->handle_types != 0) {
      say("cuMemCreate: memory to be shared with other processes is not there yet");
      return cudaErrorNotSupported;
    }
    return p->location.id == 0 ? make_physical(s, handle, bytes) : cudaErrorInvalidDevice;
  });
}
CUDA_API driver_status cuMemRelease(physical_memory* handle) {
  return driver_call([&](state& s) { return release_physical(s, handle); });
}
CUDA_API driver_status cuMemRetainAllocationHandle(physical_memory** handle, void* at) {
  return driver_call([&](state& s) { return retain_physical(s, handle, address_of(at)); });
}
CUDA_API driver_status cuMemGetAllocationPropertiesFromHandle(allocation_properties* to, physical_memory* handle) {
  return driver_call([&](state& s) {
    if (!s.physical.contains(handle)) return cudaErrorInvalidValue;
    return put(to, allocation_properties{1, 0, {1, 0}});  // pinned, on a device
  });
}
CUDA_API driver_status cuMemMap(device_pointer at, std::size_t bytes, std::size_t offset, physical_memory* handle,
                                unsigned long long) {
  return driver_call([&](state& s) { return map_physical(s, at, bytes, offset, handle); });
}
CUDA_API driver_status cuMemUnmap(device_pointer at, std::size_t bytes) {
  return driver_call([&](state& s) { return unmap_physical(s, at, bytes); });
}
CUDA_API driver_status cuMemSetAccess(device_pointer at, std::size_t bytes, const access_description* who,
                                      std::size_t count) {
  return driver_call([&](state& s) {
    if (who == nullptr || count == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (const error e = set_access(s, at, bytes, who[i].flags); e != cudaSuccess) return e;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuMemGetAccess(unsigned long long* flags, const memory_location*, device_pointer at) {
  return driver_call([&](state& s) {
    int access = 0;
    const error e = get_access(s, at, &access);
    return e == cudaSuccess ? put(flags, static_cast<unsigned long long>(access)) : e;
  });
}
