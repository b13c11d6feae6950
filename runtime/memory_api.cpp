// Entry points: memory of the device, of the host and of both; copies.
//
// The device's own memory lies at addresses that the host does not have, as with a GPU. What both use (pinned, managed,
// registered) lies at the host's own address, and the emulator reads and writes it there.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "device.hpp"
#include "graph.hpp"
#include "operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

constexpr std::uint64_t shared_with_host = 0x0000'2000'0000'0000;  // where pinned and managed memory is put
constexpr std::size_t row_alignment = 512;                         // of cudaMallocPitch

std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }
void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }
std::uint64_t pages(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

error allocate_on_device(state& s, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > device_memory_bytes() - std::min(device_memory_bytes(), s.memory.allocated_bytes()))
    return cudaErrorMemoryAllocation;
  const auto at = s.memory.allocate(bytes, "cudaMalloc memory");
  if (!at) return cudaErrorMemoryAllocation;
  s.allocations[*at] = {bytes, memory_kind::device, 0};
  *pointer = pointer_to(*at);
  return cudaSuccess;
}

error allocate_for_both(state& s, void** pointer, std::size_t bytes, memory_kind kind, unsigned flags) {
  static std::uint64_t next = shared_with_host;
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kind == memory_kind::managed ? cudaErrorInvalidValue : cudaSuccess;
  if (bytes > emulate::most_device_bytes) return cudaErrorMemoryAllocation;
  void* at = ::mmap(pointer_to(next), pages(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == MAP_FAILED) return cudaErrorMemoryAllocation;
  const char* name = kind == memory_kind::managed ? "cudaMallocManaged memory" : "cudaHostAlloc memory";
  if (!s.memory.attach(address_of(at), bytes, static_cast<std::byte*>(at), name)) {
    ::munmap(at, pages(bytes));
    return cudaErrorMemoryAllocation;
  }
  next = address_of(at) + pages(bytes) + (1u << 16);
  s.allocations[address_of(at)] = {bytes, kind, flags};
  *pointer = at;
  return cudaSuccess;
}

error release(state& s, void* pointer, bool of_host) {
  if (pointer == nullptr) return cudaSuccess;
  const auto it = s.allocations.find(address_of(pointer));
  const auto wrong = cudaErrorInvalidValue;
  if (it == s.allocations.end()) return wrong;
  const allocation a = it->second;
  if (a.kind == memory_kind::registered || (a.kind == memory_kind::host) != of_host) return wrong;
  s.memory.release(it->first);
  s.allocations.erase(it);
  if (a.kind != memory_kind::device) ::munmap(pointer, pages(a.bytes));
  return cudaSuccess;
}

// The allocation that an address lies in, and where that begins.
std::pair<std::uint64_t, const allocation*> allocation_of(state& s, const void* pointer) {
  auto it = s.allocations.upper_bound(address_of(pointer));
  if (it == s.allocations.begin()) return {0, nullptr};
  --it;
  return address_of(pointer) - it->first < it->second.bytes ? std::pair{it->first, &it->second}
                                                            : std::pair{std::uint64_t{0}, nullptr};
}

// A copy to or from a variable. `made` sets what is not the variable.
template <class Make>
error copy_symbol(const void* symbol, std::size_t bytes, std::size_t offset, stream* on, Make make) {
  copy c;
  const error found = guarded([&](state& s) {
    const variable* v = find_variable(s, symbol);
    if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
    if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
    c = make(v->address + offset);
    c.width = bytes;
    return cudaSuccess;
  });
  return found == cudaSuccess ? enqueue(on, c) : found;
}

copy rectangle(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, copy_kind kind) {
  copy c = row(to, from, width, kind);
  c.to_pitch = to_pitch;
  c.from_pitch = from_pitch;
  c.height = height;
  return c;
}

fill fill_of(void* to, int value, std::size_t bytes) {
  fill f;
  f.to = address_of(to);
  f.width = bytes;
  f.value = static_cast<unsigned char>(value);
  return f;
}

fill fill_of(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  fill f = fill_of(to, value, width);
  f.pitch = pitch;
  f.height = height;
  return f;
}

fill fill_of(const pitched_pointer& to, int value, const extent& size) {
  fill f = fill_of(to.pointer, to.pitch, value, size.width, size.height);
  f.slice = to.pitch * to.height;
  f.depth = size.depth;
  return f;
}

bool is_kind(copy_kind k) { return k >= host_to_host && k <= by_address; }

error copy_on(copy c, stream* on) {
  return is_kind(c.kind) ? enqueue(on, c) : last_error = cudaErrorInvalidMemcpyDirection;
}

error copy_box(const copy_3d_parameters* p, stream* on) {
  if (p == nullptr) return last_error = cudaErrorInvalidValue;
  copy c;
  const error made = make_copy(*p, c);
  return made == cudaSuccess ? copy_on(c, on) : last_error = made;
}

struct pool {
  std::map<int, std::uint64_t> attributes;
};
pool* default_pool() {
  static auto* const p = new pool;
  return p;
}

}  // namespace

// --- allocation

CUDA_API error cudaMalloc(void** pointer, std::size_t bytes) {
  return guarded([&](state& s) { return allocate_on_device(s, pointer, bytes); });
}
CUDA_API error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return guarded([&](state& s) {
    if (pitch == nullptr || width > emulate::most_device_bytes) return cudaErrorInvalidValue;
    *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
    if (height != 0 && *pitch > emulate::most_device_bytes / height) return cudaErrorMemoryAllocation;
    return allocate_on_device(s, pointer, *pitch * height);
  });
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
  return guarded([&](state& s) { return release(s, pointer, false); });
}
CUDA_API error cudaFreeHost(void* pointer) {
  return guarded([&](state& s) { return release(s, pointer, true); });
}

CUDA_API error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return guarded([&](state& s) {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const std::uint64_t at = address_of(pointer);
    const auto in_window = [&](std::uint64_t window) {
      return at < window + emulate::window_bytes && window < at + bytes;
    };
    if (in_window(emulate::shared_window) || in_window(emulate::local_window)) return cudaErrorNotSupported;
    if (!s.memory.attach(at, bytes, static_cast<std::byte*>(pointer), "cudaHostRegister memory"))
      return cudaErrorHostMemoryAlreadyRegistered;
    s.allocations[at] = {bytes, memory_kind::registered, flags};
    return cudaSuccess;
  });
}
CUDA_API error cudaHostUnregister(void* pointer) {
  return guarded([&](state& s) {
    const auto it = s.allocations.find(address_of(pointer));
    if (it == s.allocations.end() || it->second.kind != memory_kind::registered)
      return cudaErrorHostMemoryNotRegistered;
    s.memory.release(it->first);
    s.allocations.erase(it);
    return cudaSuccess;
  });
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
    const allocation* a = allocation_of(s, pointer).second;
    const emulate::region* r = s.memory.find(address_of(pointer));
    if (a == nullptr && r == nullptr) {
      to->device = -2;  // cudaInvalidDeviceId
      to->host_pointer = p;
      return cudaSuccess;
    }
    const bool on_host = address_of(r->data) == r->address;
    to->type = a == nullptr                      ? (on_host ? managed_memory : device_memory_type)
               : a->kind == memory_kind::device  ? device_memory_type
               : a->kind == memory_kind::managed ? managed_memory
                                                 : host_memory;
    to->device_pointer = p;
    to->host_pointer = on_host ? p : nullptr;
    return cudaSuccess;
  });
}
CUDA_API error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return guarded([&](state& s) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = device_memory_bytes();
    *free = *total - std::min<std::size_t>(*total, s.memory.allocated_bytes());
    return cudaSuccess;
  });
}

// --- in the order of a stream

CUDA_API error cudaMallocAsync(void** pointer, std::size_t bytes, stream* handle) {
  return guarded([&](state& s) {
    stream* on = find_stream(s, handle);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    // A captured allocation has its address at once and is there from now on.
    if (const error e = allocate_on_device(s, pointer, bytes); e != cudaSuccess || on->capture == nullptr) return e;
    on->last = {add_node(s, *on->capture, make_memory{address_of(*pointer), bytes}, on->last)};
    return cudaSuccess;
  });
}
CUDA_API error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, pool*, stream* on) {
  return cudaMallocAsync(pointer, bytes, on);
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
CUDA_API error cudaDeviceGetMemPool(pool** p, int device) { return cudaDeviceGetDefaultMemPool(p, device); }
CUDA_API error cudaDeviceSetMemPool(int, pool*) { return cudaSuccess; }
CUDA_API error cudaMemPoolCreate(pool** p, const pool_properties*) {
  return guarded([&](state&) {
    if (p == nullptr) return cudaErrorInvalidValue;
    *p = new pool;
    return cudaSuccess;
  });
}
// Pools are small and few: one that is destroyed stays, for those who still name it.
CUDA_API error cudaMemPoolDestroy(pool*) { return cudaSuccess; }
CUDA_API error cudaMemPoolTrimTo(pool*, std::size_t) { return cudaSuccess; }
CUDA_API error cudaMemPoolSetAttribute(pool* p, int which, void* value) {
  return guarded([&](state&) {
    if (p == nullptr || value == nullptr || which < 1 || which > 8) return cudaErrorInvalidValue;
    std::uint64_t n = 0;
    std::memcpy(&n, value, which <= 3 ? 4 : 8);
    p->attributes[which] = n;
    return cudaSuccess;
  });
}
CUDA_API error cudaMemPoolGetAttribute(pool* p, int which, void* value) {
  return guarded([&](state& s) {
    if (p == nullptr || value == nullptr || which < 1 || which > 8) return cudaErrorInvalidValue;
    const auto it = p->attributes.find(which);
    const std::uint64_t n = it != p->attributes.end() ? it->second
                            : which <= 3              ? 1
                            : which >= 5              ? s.memory.allocated_bytes()
                                                      : 0;
    std::memcpy(value, &n, which <= 3 ? 4 : 8);
    return cudaSuccess;
  });
}
CUDA_API error cudaMemPoolSetAccess(pool*, const void*, std::size_t) { return cudaSuccess; }

// --- copies

CUDA_API error cudaMemcpy(void* to, const void* from, std::size_t bytes, copy_kind kind) {
  return copy_on(row(to, from, bytes, kind), nullptr);
}
CUDA_API error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, copy_kind kind, stream* on) {
  return copy_on(row(to, from, bytes, kind), on);
}
CUDA_API error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return last_error = cudaErrorInvalidDevice;
  return copy_on(row(to, from, bytes, by_address), nullptr);
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
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
CUDA_API error cudaMemcpy3D(const copy_3d_parameters* p) { return copy_box(p, nullptr); }
CUDA_API error cudaMemcpy3DAsync(const copy_3d_parameters* p, stream* on) { return copy_box(p, on); }

CUDA_API error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                       copy_kind kind, stream* on) {
  return copy_symbol(symbol, bytes, offset, on,
                     [&](std::uint64_t address) { return row(pointer_to(address), from, bytes, kind); });
}
CUDA_API error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                  copy_kind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
CUDA_API error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                         copy_kind kind, stream* on) {
  return copy_symbol(symbol, bytes, offset, on,
                     [&](std::uint64_t address) { return row(to, pointer_to(address), bytes, kind); });
}
CUDA_API error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                    copy_kind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
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
  return enqueue(on, fill_of(to, value, bytes));
}
CUDA_API error cudaMemset(void* to, int value, std::size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }
CUDA_API error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                 stream* on) {
  return enqueue(on, fill_of(to, pitch, value, width, height));
}
CUDA_API error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
CUDA_API error cudaMemset3DAsync(pitched_pointer to, int value, extent size, stream* on) {
  return enqueue(on, fill_of(to, value, size));
}
CUDA_API error cudaMemset3D(pitched_pointer to, int value, extent size) {
  return cudaMemset3DAsync(to, value, size, nullptr);
}

// --- advice, which changes nothing

#if BANKWISE_CUDART == 12
CUDA_API error cudaMemAdvise(const void*, std::size_t, int, int) { return cudaSuccess; }
CUDA_API error cudaMemPrefetchAsync(const void*, std::size_t, int, stream*) { return cudaSuccess; }
CUDA_API error cudaMemAdvise_v2(const void*, std::size_t, int, memory_location) { return cudaSuccess; }
CUDA_API error cudaMemPrefetchAsync_v2(const void*, std::size_t, memory_location, unsigned, stream*) {
  return cudaSuccess;
}
#else
CUDA_API error cudaMemAdvise(const void*, std::size_t, int, memory_location) { return cudaSuccess; }
CUDA_API error cudaMemPrefetchAsync(const void*, std::size_t, memory_location, unsigned, stream*) {
  return cudaSuccess;
}
#endif
// A value: arrays and textures themselves are not there.
CUDA_API channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }
CUDA_API error cudaStreamAttachMemAsync(stream*, void*, std::size_t, unsigned) { return cudaSuccess; }
