// The runtime's functions for memory and copies.
#include "runtime/cudart/define_entries.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/ordered_memory.hpp"
#include "runtime/stream/shared_event.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error allocate_box(state& s, pitched_pointer* made, const extent& size) {
  if (made == nullptr) return cudaErrorInvalidValue;
  *made = {nullptr, 0, size.width, size.height};
  if (size.depth != 0 && size.height > emulate::most_device_bytes / size.depth) return cudaErrorMemoryAllocation;
  return allocate_rows(s, &made->pointer, &made->pitch, size.width, size.height * size.depth);
}

const allocation* allocation_of_host(const state& s, const void* pointer) {
  const allocation* a = allocation_of(s, pointer).second;
  return a == nullptr || a->kind == cuda::allocation_kind::device ? nullptr : a;
}
error tell_host_flags(const state& s, unsigned* flags, const void* pointer) {
  const allocation* a = allocation_of_host(s, pointer);
  return a != nullptr ? put(flags, a->flags) : cudaErrorInvalidValue;
}
error tell_pointer(const state& s, pointer_attributes* to, const void* pointer) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = {};
  void* p = const_cast<void*>(pointer);
  const pointer_facts f = facts_of(s, address_of(pointer));
  if (!f.known) {
    to->device = -2;  // cudaInvalidDeviceId
    to->host_pointer = p;
    return cudaSuccess;
  }
  to->type = f.kind == cuda::allocation_kind::device    ? device_memory_type
             : f.kind == cuda::allocation_kind::managed ? managed_memory
                                                        : host_memory;
  to->device_pointer = p;
  to->host_pointer = f.on_host ? p : nullptr;
  return cudaSuccess;
}
error tell_pool(pool** p, int device, pool* of_device) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return device == 0 ? put(p, of_device) : cudaErrorInvalidDevice;
}

// --- copies

error copy_on(state& s, const copy& c, stream* on) {
  return c.kind >= host_to_host && c.kind <= by_address ? enqueue(s, on, c) : cudaErrorInvalidMemcpyDirection;
}
error copy_between(state& s, int to_device, int from_device, const copy& c, stream* on) {
  return to_device == 0 && from_device == 0 ? copy_on(s, c, on) : cudaErrorInvalidDevice;
}
error copy_rectangle(state& s, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, copy_kind kind, stream* on) {
  if (height > 0 && (width > to_pitch || width > from_pitch)) return cudaErrorInvalidPitchValue;
  return copy_on(s, rectangle(to, to_pitch, from, from_pitch, width, height, kind), on);
}
error copy_box(state& s, const copy_3d_parameters* p, stream* on) {
  if (p == nullptr) return cudaErrorInvalidValue;
  copy c;
  const error made = make_copy(s, *p, c);
  return made == cudaSuccess ? copy_on(s, c, on) : made;
}
error copy_peer_box(state& s, const peer_copy_parameters* p, stream* on) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->from_device != 0 || p->to_device != 0) return cudaErrorInvalidDevice;
  const copy_3d_parameters box{p->from_array, p->from_position, p->from,   p->to_array, p->to_position,
                               p->to,         p->size,          by_address};
  return copy_box(s, &box, on);
}

// --- variables

error place_in_symbol(state& s, const void* symbol, std::size_t bytes, std::size_t offset, void*& there) {
  const variable* v = find_variable(s, symbol);
  if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
  if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
  there = pointer_to(v->address + offset);
  return cudaSuccess;
}
error copy_to_symbol(state& s, const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                     copy_kind kind, stream* on) {
  void* there = nullptr;
  const error found = place_in_symbol(s, symbol, bytes, offset, there);
  return found == cudaSuccess ? enqueue(s, on, row(there, from, bytes, kind)) : found;
}
error copy_from_symbol(state& s, void* to, const void* symbol, std::size_t bytes, std::size_t offset, copy_kind kind,
                       stream* on) {
  void* there = nullptr;
  const error found = place_in_symbol(s, symbol, bytes, offset, there);
  return found == cudaSuccess ? enqueue(s, on, row(to, there, bytes, kind)) : found;
}
error tell_symbol_address(state& s, void** pointer, const void* symbol) {
  const variable* v = find_variable(s, symbol);
  if (pointer == nullptr) return cudaErrorInvalidValue;
  return v == nullptr || v->address == 0 ? cudaErrorInvalidSymbol : put(pointer, pointer_to(v->address));
}
error tell_symbol_size(state& s, std::size_t* bytes, const void* symbol) {
  const variable* v = find_variable(s, symbol);
  if (bytes == nullptr) return cudaErrorInvalidValue;
  return v == nullptr ? cudaErrorInvalidSymbol : put(bytes, static_cast<std::size_t>(v->bytes));
}

}  // namespace

#include "runtime/cudart/entries/memory.def"
