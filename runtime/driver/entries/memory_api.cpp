// The driver's functions for memory, pools, pointers and advice.
#include <cstring>

#include "runtime/device/device.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/in_flight.hpp"
#include "runtime/stream/ordered_memory.hpp"
#include "runtime/stream/thread_stream.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

// Sets `to` to a new allocation's address, as a number. `body` allocates the memory and returns a pointer.
template <class Allocate>
error fill_in(device_pointer* to, Allocate body) {
  void* at = nullptr;
  if (to == nullptr) return cudaErrorInvalidValue;
  const error e = body(&at);
  *to = address_of(at);
  return e;
}
error allocate(state& s, device_pointer* to, std::size_t bytes) {
  return fill_in(to, [&](void** at) { return bytes != 0 ? allocate_on_device(s, at, bytes) : cudaErrorInvalidValue; });
}
error allocate_pitched(state& s, device_pointer* to, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned element_bytes) {
  return fill_in(to, [&](void** at) {
    if (width == 0 || height == 0 || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
      return cudaErrorInvalidValue;
    return allocate_rows(s, at, pitch, width, height);
  });
}
error allocate_managed(state& s, device_pointer* to, std::size_t bytes, unsigned flags) {
  return fill_in(to, [&](void** at) { return allocate_for_both(s, at, bytes, cuda::allocation_kind::managed, flags); });
}
error allocate_in(state& s, stream* on, device_pointer* to, std::size_t bytes, pool* p) {
  return fill_in(to, [&](void** at) { return allocate_in_order(s, at, bytes, p, on); });
}

// Calls `body` if the address is in pinned memory of the host or in managed memory.
template <class Body>
driver_status with_host_memory(const char* entry, void* at, Body body) {
  return context_call(entry, [&](state& s) {
    const allocation* a = allocation_of(s, at).second;
    return a != nullptr && a->kind != cuda::allocation_kind::device ? body(s, *a) : cudaErrorInvalidValue;
  });
}

error tell_range(state& s, device_pointer* begin, std::size_t* bytes, device_pointer at) {
  const pointer_facts f = facts_of(s, at);
  if (!f.known) return cudaErrorSymbolNotFound;
  if (begin != nullptr) *begin = f.begin;
  if (bytes != nullptr) *bytes = f.bytes;
  return cudaSuccess;
}
error tell_room(state& s, std::size_t* free, std::size_t* total) {
  if (total != nullptr) *total = device_memory_bytes();
  if (free != nullptr) *free = free_bytes(s);
  return cudaSuccess;
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
  const bool of_host = f.kind == cuda::allocation_kind::host || f.kind == cuda::allocation_kind::registered;
  switch (which) {
    case pointer_context: return put_as(to, f.owner);
    case pointer_memory_type: return put_as(to, of_host ? on_host : on_device);
    case pointer_on_device: return put_as(to, at);
    case pointer_on_host: return f.on_host ? put_as(to, at) : cudaErrorInvalidValue;
    case pointer_buffer_id: return put_as(to, f.begin);
    case pointer_is_managed: return put_as(to, f.kind == cuda::allocation_kind::managed);
    case pointer_device: return put_as(to, 0);
    case pointer_begin: return put_as(to, f.begin);
    case pointer_bytes: return put_as(to, static_cast<std::size_t>(f.bytes));
    case pointer_access: return put_as(to, 3);
    default: return cudaErrorNotSupported;
  }
}
// Sets unknown attributes to zero.
error tell_pointer_attributes(state& s, unsigned count, const pointer_attribute* which, void** to, device_pointer at) {
  if (which == nullptr || to == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_number = which[i] == pointer_memory_type || which[i] == pointer_device || which[i] == pointer_access;
    const bool is_flag = which[i] == pointer_is_managed || which[i] == pointer_is_mapped;
    if (to[i] == nullptr) return cudaErrorInvalidValue;
    if (tell_pointer(s, to[i], which[i], at) != cudaSuccess) std::memset(to[i], 0, is_flag ? 1 : is_number ? 4 : 8);
  }
  return cudaSuccess;
}

error tell_pool_access(int* access, const pool* p, const memory_location* where) {
  constexpr int on_a_device = 1, reads_and_writes = 3;
  if (p == nullptr || where == nullptr) return cudaErrorInvalidValue;
  return put(access, where->type == on_a_device && where->id == 0 ? reads_and_writes : 0);
}

// --- advice, which has no effect

// Checks the memory of an advice. The memory must be managed, or must be host memory that the program did not allocate
// or register through CUDA.
error check_advice(const state& s, device_pointer at, std::size_t bytes, int device) {
  const allocation* a = allocation_of(s, pointer_to(at)).second;
  if (bytes == 0 || (a != nullptr && a->kind != cuda::allocation_kind::managed) ||
      (a == nullptr && s.memory.find(at) != nullptr))
    return cudaErrorInvalidValue;
  return device > 0 ? cudaErrorInvalidDevice : cudaSuccess;
}
// Returns the number of the device. Returns -1 for the host.
int device_of(const memory_location& where) { return where.type == 1 ? where.id : -1; }

// A prefetch moves nothing here, but takes time on the timeline.
void add_prefetch_time(state& s, device_pointer at, std::size_t bytes, int device, stream* handle) {
  stream* const on = find_stream(s, handle);
  if (on != nullptr && on->capture == nullptr) begin_prefetch(s, *on, at, bytes, device >= 0);
}
error prefetch(state& s, device_pointer at, std::size_t bytes, int device, stream* on) {
  if (const error e = check_advice(s, at, bytes, device); e != cudaSuccess) return e;
  add_prefetch_time(s, at, bytes, device, on);
  return cudaSuccess;
}

// Whether the range is managed memory. Only managed memory can have a preferred location.
bool is_managed(const state& s, device_pointer at, std::size_t bytes) {
  const auto [begin, a] = allocation_of(s, pointer_to(at));
  return a != nullptr && a->kind == cuda::allocation_kind::managed && bytes != 0 && at + bytes <= begin + a->bytes;
}
error check_ranges(const state& s, const device_pointer* at, const std::size_t* bytes, std::size_t count,
                   unsigned long long flags) {
  if (flags != 0 || at == nullptr || bytes == nullptr || count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i)
    if (!is_managed(s, at[i], bytes[i])) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// `where` has `places` locations, and `first_of` the first range of each of them.
error prefetch_all(state& s, const device_pointer* at, const std::size_t* bytes, std::size_t count,
                   const memory_location* where, const std::size_t* first_of, std::size_t places,
                   unsigned long long flags, stream* on) {
  if (const error e = check_ranges(s, at, bytes, count, flags); e != cudaSuccess) return e;
  if (where == nullptr || first_of == nullptr) return cudaSuccess;
  for (std::size_t i = 0, place = 0; i < count && place < places; ++i) {
    while (place + 1 < places && first_of[place + 1] <= i) ++place;
    add_prefetch_time(s, at[i], bytes[i], device_of(where[place]), on);
  }
  return cudaSuccess;
}

// Answers a query about managed memory. Managed memory never moves here, so it has no preferred location and is on no
// device.
error tell_advice(const state& s, void* to, std::size_t room, int which, device_pointer at, std::size_t bytes) {
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
error tell_all_advice(const state& s, void** to, const std::size_t* rooms, const int* which, std::size_t count,
                      device_pointer at, std::size_t bytes) {
  if (to == nullptr || rooms == nullptr || which == nullptr || count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i)
    if (const error e = tell_advice(s, to[i], rooms[i], which[i], at, bytes); e != cudaSuccess) return e;
  return cudaSuccess;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/memory_api.def"
#include "runtime/driver/entries/entry_functions.def"
