// Entry points of the driver: memory, pools of it, what a pointer is.
#include <cstring>

#include "runtime/device/device.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

// What the runtime's functions fill in as a pointer, the driver's take as a number.
template <class Allocate>
auto filled_in(device_pointer* to, Allocate body) {
  return [to, body](state& s) {
    void* at = nullptr;
    if (to == nullptr) return cudaErrorInvalidValue;
    const error e = body(s, &at);
    *to = address_of(at);
    return e;
  };
}
template <class Allocate>
driver_status allocate(device_pointer* to, Allocate body, const char* entry = __builtin_FUNCTION()) {
  return context_call(filled_in(to, body), entry);
}

// In the order of a stream.
driver_status allocate_in(stream* on, device_pointer* to, std::size_t bytes, pool* p,
                          const char* entry = __builtin_FUNCTION()) {
  const auto body = [=](state& s, void** at) { return allocate_in_order(s, at, bytes, p, on); };
  return stream_call(on, filled_in(to, body), entry);
}

template <class T>
error put_as(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));  // NOLINT(bugprone-sizeof-expression): some T are pointers
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
  return allocate_in(on, to, bytes, current_pool());
}
CUDA_API driver_status cuMemAllocFromPoolAsync(device_pointer* to, std::size_t bytes, pool* p, stream* on) {
  return allocate_in(on, to, bytes, p);
}
// Memory has its own context, whichever context is current.
CUDA_API driver_status cuMemFree_v2(device_pointer at) {
  return driver_call([&](state& s) { return release_when_idle(s, pointer_to(at), false); });
}
CUDA_API driver_status cuMemFreeAsync(device_pointer at, stream* on) {
  return stream_call(on, [&](state& s) { return enqueue(s, on, release_memory{at}); });
}
CUDA_API driver_status cuMemHostAlloc(void** to, std::size_t bytes, unsigned flags) {
  return context_call([&](state& s) { return allocate_for_both(s, to, bytes, memory_kind::host, flags); });
}
CUDA_API driver_status cuMemAllocHost_v2(void** to, std::size_t bytes) { return cuMemHostAlloc(to, bytes, 0); }
CUDA_API driver_status cuMemFreeHost(void* at) {
  return driver_call([&](state& s) { return release_when_idle(s, at, true); });
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
    if (total != nullptr) *total = device_memory_bytes();
    if (free != nullptr) *free = free_bytes(s);
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
CUDA_API driver_status cuDeviceGetMemPool(pool** p, int device) {
  return driver_call([&](state&) { return device == 0 ? put(p, current_pool()) : cudaErrorInvalidDevice; });
}
CUDA_API driver_status cuDeviceSetMemPool(int device, pool* p) {
  return driver_call([&](state&) { return device == 0 ? set_current_pool(p) : cudaErrorInvalidDevice; });
}
CUDA_API driver_status cuMemPoolCreate(pool** p, const pool_properties* properties) {
  return driver_call([&](state&) { return make_pool(p, properties); });
}
CUDA_API driver_status cuMemPoolDestroy(pool* p) {
  return driver_call([&](state&) { return destroy_pool(p); });
}
CUDA_API driver_status cuMemPoolTrimTo(pool* p, std::size_t bytes) {
  return driver_call([&](state&) { return trim_pool(p, bytes); });
}
CUDA_API driver_status cuMemPoolSetAttribute(pool* p, int which, void* value) {
  return driver_call([&](state&) { return set_pool_attribute(p, which, value); });
}
CUDA_API driver_status cuMemPoolGetAttribute(pool* p, int which, void* value) {
  return driver_call([&](state&) { return pool_attribute(p, which, value); });
}
CUDA_API driver_status cuMemPoolSetAccess(pool*, const access_description*, std::size_t) { return CUDA_SUCCESS; }

// --- advice, which moves nothing

namespace {

// Of managed memory, or of the host's own, which the device may read.
error check_advice(const state& s, device_pointer at, std::size_t bytes, int device) {
  const allocation* a = allocation_of(s, pointer_to(at)).second;
  if (bytes == 0 || (a != nullptr && a->kind != memory_kind::managed) || (a == nullptr && s.memory.find(at) != nullptr))
    return cudaErrorInvalidValue;
  return device > 0 ? cudaErrorInvalidDevice : cudaSuccess;
}
driver_status take_advice(device_pointer at, std::size_t bytes, int device, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return check_advice(s, at, bytes, device); }, entry);
}
// Its number, where it is a device.
int device_of(const memory_location& where) { return where.type == 1 ? where.id : -1; }

}  // namespace

CUDA_API driver_status cuMemAdvise(device_pointer at, std::size_t bytes, int, int device) {
  return take_advice(at, bytes, device);
}
CUDA_API driver_status cuMemAdvise_v2(device_pointer at, std::size_t bytes, int, memory_location where) {
  return take_advice(at, bytes, device_of(where));
}
CUDA_API driver_status cuMemPrefetchAsync(device_pointer at, std::size_t bytes, int device, stream*) {
  return take_advice(at, bytes, device);
}
CUDA_API driver_status cuMemPrefetchAsync_v2(device_pointer at, std::size_t bytes, memory_location where, unsigned,
                                             stream*) {
  return take_advice(at, bytes, device_of(where));
}
