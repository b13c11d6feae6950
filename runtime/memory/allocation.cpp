#include "runtime/memory/allocation.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/device/call_sites.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/host_copies.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/memory/sharing.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t shared_with_host = 0x0000'2000'0000'0000;  // first address of pinned and managed memory
// Alignment in bytes of the rows that cudaMallocPitch allocates.
constexpr std::size_t row_alignment = 512;

// Returns the bytes to map for memory that the host shares. A driver allocates such memory in larger units, so a
// program can access some bytes after the end. The mapping includes these bytes.
std::uint64_t mapped_bytes(std::uint64_t bytes) { return pages(bytes) + (1u << 16); }

void give_back(state& s, std::uint64_t address, const allocation& a) {
  if (a.from != nullptr) give_to(*a.from, a.bytes);
  if (a.file >= 0) settle_all(s);
  if (a.kind == allocation_kind::host || a.kind == allocation_kind::managed)
    note_shared_memory(s, static_cast<const std::byte*>(pointer_to(address)), a.bytes);
  the_operation_races().release(address, a.bytes);
  release_when_settled(s, address);
  if (a.file >= 0) {
    ::munmap(a.host, pages(a.bytes));
    ::close(a.file);
  }
  if (a.kind == allocation_kind::host || a.kind == allocation_kind::managed)
    ::munmap(pointer_to(address), mapped_bytes(a.bytes));
}

// Whether an allocation is a part of a slab that the device maps at once.
constexpr std::uint64_t slab_bytes = 1u << 21;
bool is_part_of_slab(std::uint64_t bytes) { return bytes <= slab_bytes / 2; }

// Returns whether the bytes are in a slab that is already mapped. `room`: free bytes of the slabs.
bool takes_room(std::uint64_t& room, std::uint64_t bytes) {
  if (!is_part_of_slab(bytes)) return false;
  const bool found = room >= bytes;
  room = (found ? room : slab_bytes) - bytes;
  return found;
}

// The host's time for a call that pins pages of the host, or releases them.
double pinning(double call, double byte, std::uint64_t bytes) {
  return call + byte * static_cast<double>(bytes - std::min(bytes, slab_bytes));
}

void add_call(state& s, allocation& a) {
  const auto bytes = static_cast<double>(a.bytes);
  a.uses_room = is_part_of_slab(a.bytes);
  switch (a.kind) {
    case allocation_kind::device:
      return s.clock.call(
          takes_room(s.mapped_room, a.bytes) ? costs.call_place : costs.call_map + bytes * costs.map_byte,
          "cudaMalloc");
    case allocation_kind::host:
      return s.clock.call(
          takes_room(s.pinned_room, a.bytes) ? costs.call_place : pinning(costs.call_pin, costs.pin_byte, a.bytes),
          "cudaMallocHost");
    case allocation_kind::managed: return s.clock.call(costs.call_managed, "cudaMallocManaged");
    case allocation_kind::registered:
      return s.clock.call(costs.call_register + bytes * costs.register_byte, "cudaHostRegister");
  }
}

}  // namespace

std::size_t free_bytes(const state& s) {
  return device_memory_bytes() - std::min<std::size_t>(device_memory_bytes(), s.memory.allocated_bytes());
}

error allocate_region(state& s, std::size_t bytes, const char* name, std::uint64_t& address) {
  if (bytes > free_bytes(s)) release_kept(s);
  if (bytes > free_bytes(s)) return cudaErrorMemoryAllocation;
  const auto at = s.memory.allocate(bytes, name, call_sites());
  if (!at) return cudaErrorMemoryAllocation;
  address = *at;
  return cudaSuccess;
}

error place_on_device(state& s, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  std::uint64_t at = 0;
  if (const error e = allocate_region(s, bytes, "cudaMalloc memory", at); e != cudaSuccess) return e;
  if (s.memory.written != nullptr) s.memory.written->follow(at, bytes);
  s.allocations[at] = {bytes, allocation_kind::device, 0, current_context()};
  *pointer = pointer_to(at);
  return cudaSuccess;
}

error allocate_on_device(state& s, void** pointer, std::size_t bytes) {
  const error e = place_on_device(s, pointer, bytes);
  if (e == cudaSuccess && bytes != 0) add_call(s, s.allocations[address_of(*pointer)]);
  return e;
}

void add_free_call(state& s, const allocation& a) {
  const auto bytes = static_cast<double>(a.bytes);
  const bool is_part = is_part_of_slab(a.bytes);
  switch (a.kind) {
    case allocation_kind::device:
      s.clock.call(is_part ? costs.call_place : costs.call_unmap + bytes * costs.unmap_byte, "cudaFree");
      if (a.uses_room) s.mapped_room += a.bytes;
      return;
    case allocation_kind::host: {
      if (a.uses_room) s.pinned_room += a.bytes;
      const bool is_empty = !is_part || s.pinned_room >= slab_bytes;  // so its pages are released
      if (is_part && is_empty) s.pinned_room -= slab_bytes;
      return s.clock.call(is_empty ? pinning(costs.call_unpin, costs.unpin_byte, a.bytes) : costs.call_place,
                          "cudaFreeHost");
    }
    case allocation_kind::managed: return s.clock.call(costs.call_managed, "cudaFree");
    case allocation_kind::registered:
      return s.clock.call(costs.call_unregister + bytes * costs.unregister_byte, "cudaHostUnregister");
  }
}

error allocate_for_both(state& s, void** pointer, std::size_t bytes, allocation_kind kind, unsigned flags) {
  static std::uint64_t next = shared_with_host;
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kind == allocation_kind::managed ? cudaErrorInvalidValue : cudaSuccess;
  if (bytes > emulate::most_device_bytes) return cudaErrorMemoryAllocation;
  void* at = ::mmap(pointer_to(next), mapped_bytes(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == MAP_FAILED) return cudaErrorMemoryAllocation;
  const bool managed = kind == allocation_kind::managed;
  const char* name = managed ? "cudaMallocManaged memory" : "cudaHostAlloc memory";
  if (!s.memory.attach(address_of(at), bytes, static_cast<std::byte*>(at), name, call_sites(), managed)) {
    ::munmap(at, mapped_bytes(bytes));
    return cudaErrorMemoryAllocation;
  }
  next = address_of(at) + mapped_bytes(bytes);
  allocation& made = s.allocations[address_of(at)] = {bytes, kind, flags, current_context()};
  add_call(s, made);
  *pointer = at;
  return cudaSuccess;
}

error release(state& s, void* pointer, bool of_host) {
  if (pointer == nullptr) return cudaSuccess;
  const auto it = s.allocations.find(address_of(pointer));
  if (const auto other = s.imported.find(address_of(pointer)); other != s.imported.end() && other->second.from_pool)
    return close_memory(s, pointer);
  if (it == s.allocations.end()) return cudaErrorInvalidValue;
  const allocation_kind kind = it->second.kind;
  if (kind == allocation_kind::registered || (kind == allocation_kind::host) != of_host) return cudaErrorInvalidValue;
  give_back(s, it->first, it->second);
  s.allocations.erase(it);
  return cudaSuccess;
}

void release_all_of(state& s, const context* c) {
  std::erase_if(s.allocations, [&](const auto& entry) {
    if (entry.second.owner != c) return false;
    give_back(s, entry.first, entry.second);
    return true;
  });
}

error allocate_rows(state& s, void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (pitch == nullptr || width > emulate::most_device_bytes) return cudaErrorInvalidValue;
  *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  if (height != 0 && *pitch > emulate::most_device_bytes / height) return cudaErrorMemoryAllocation;
  return allocate_on_device(s, pointer, *pitch * height);
}

error register_host(state& s, void* pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
  const std::uint64_t at = address_of(pointer);
  const auto in_window = [&](std::uint64_t window) {
    return at < window + emulate::window_bytes && window < at + bytes;
  };
  if (in_window(emulate::shared_window) || in_window(emulate::local_window)) return cudaErrorNotSupported;
  if (!s.memory.attach(at, bytes, static_cast<std::byte*>(pointer), "cudaHostRegister memory", call_sites()))
    return cudaErrorHostMemoryAlreadyRegistered;
  allocation& made = s.allocations[at] = {bytes, allocation_kind::registered, flags, current_context()};
  add_call(s, made);
  return cudaSuccess;
}

pointer_facts facts_of(const state& s, std::uint64_t at) {
  pointer_facts f;
  const emulate::region* r = s.memory.find(at);
  if (r == nullptr) return f;
  f.known = true;
  f.on_host = address_of(r->data) == r->address;
  f.begin = r->address;
  f.bytes = r->bytes;
  f.owner = &s.primary;
  if (const auto [begin, a] = allocation_of(s, pointer_to(at)); a != nullptr) {
    f.kind = a->kind;
    f.owner = a->owner;
  } else if (f.on_host) {
    f.kind = allocation_kind::managed;
  }
  return f;
}

error next_address(state& s, std::size_t bytes, std::uint64_t& address) {
  const auto at = s.memory.allocate(bytes, "memory of a graph");
  if (!at) return cudaErrorMemoryAllocation;
  s.memory.release(*at);
  address = *at;
  return cudaSuccess;
}

copy rectangle(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, copy_kind kind) {
  copy c = row(to, from, width, kind);
  c.to_pitch = to_pitch;
  c.from_pitch = from_pitch;
  c.height = height;
  return c;
}

fill fill_of(void* to, unsigned value, std::size_t count, unsigned element_bytes) {
  fill f;
  f.to = address_of(to);
  f.width = count;
  f.value = value;
  f.element_bytes = element_bytes;
  return f;
}

fill fill_of(void* to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
             unsigned element_bytes) {
  fill f = fill_of(to, value, width, element_bytes);
  f.pitch = pitch;
  f.height = height;
  return f;
}

fill fill_of(const pitched_pointer& to, unsigned value, const extent& size) {
  fill f = fill_of(to.pointer, to.pitch, value, size.width, size.height);
  f.slice = to.pitch * to.height;
  f.depth = size.depth;
  return f;
}

}  // namespace bankwise::cuda
