#include "runtime/memory/copy.hpp"

#include "runtime/device/memory_faults.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/copy_work.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/timed_operations.hpp"
#include "runtime/memory/array.hpp"

namespace bankwise::cuda {

error run_operation(state& s, const copy& c) {
  if (c.width == 0 || c.height == 0 || c.depth == 0) return cudaSuccess;
  if (c.height > 1 && (c.to_pitch < c.width || c.from_pitch < c.width)) return cudaErrorInvalidPitchValue;
  const std::size_t to_bytes = reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  const std::size_t from_bytes = reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  const std::byte* const to = s.memory.bytes_at(c.to, to_bytes);
  const std::byte* const from = s.memory.bytes_at(c.from, from_bytes);
  const bool to_device = c.kind == host_to_device || c.kind == device_to_device;
  const bool from_device = c.kind == device_to_host || c.kind == device_to_device;
  // If a range of addresses is not inside one allocation, it is treated as memory of the host. Returns an error if the
  // copy's kind or the address is that of device memory.
  const auto only_on_device = [&](std::uint64_t address) {
    const emulate::region* r = s.memory.find(address);
    return r != nullptr && reinterpret_cast<std::uint64_t>(r->data) != r->address;
  };
  // A copy between the device and pinned memory must not go past the end of the pinned memory.
  const auto is_pinned = [&](std::uint64_t address) {
    const allocation* const a = allocation_of(s, pointer_to(address)).second;
    return a != nullptr && a->kind == allocation_kind::host;
  };
  if (to == nullptr && (to_device || only_on_device(c.to) || (only_on_device(c.from) && is_pinned(c.to)))) {
    note_bad_copy(s, c.to, to_bytes);
    return cudaErrorInvalidValue;
  }
  if (from == nullptr && (from_device || only_on_device(c.from) || (only_on_device(c.to) && is_pinned(c.from)))) {
    note_bad_copy(s, c.from, from_bytes);
    return cudaErrorInvalidValue;
  }
  if (c.to == 0 || c.from == 0) return cudaErrorInvalidValue;
  add_to_clock(s, c);
  if (put_off(s, c)) return cudaSuccess;
  perform_copy(s, c);
  the_operation_races().note(s, c);
  return cudaSuccess;
}

error run_operation(state& s, const fill& f) {
  if (f.width == 0 || f.height == 0 || f.depth == 0) return cudaSuccess;
  if (f.element_bytes != 1 && f.element_bytes != 2 && f.element_bytes != 4) return cudaErrorInvalidValue;
  const std::size_t width = f.width * f.element_bytes;
  if (f.height > 1 && f.pitch < width) return cudaErrorInvalidPitchValue;
  if (s.memory.bytes_at(f.to, reach(f.pitch, f.slice, width, f.height, f.depth)) == nullptr)
    return cudaErrorInvalidValue;
  add_to_clock(s, f);
  if (put_off(s, f)) return cudaSuccess;
  perform_fill(s, f);
  the_operation_races().note(s, f);
  return cudaSuccess;
}

copy row(void* to, const void* from, std::size_t bytes, copy_kind kind) {
  copy c;
  c.to = reinterpret_cast<std::uint64_t>(to);
  c.from = reinterpret_cast<std::uint64_t>(from);
  c.width = bytes;
  c.kind = kind;
  return c;
}

error make_copy(state& s, const copy_3d_parameters& p, copy& made) {
  const array* const from = p.from_array != nullptr ? find_array(s, p.from_array) : nullptr;
  const array* const to = p.to_array != nullptr ? find_array(s, p.to_array) : nullptr;
  if ((p.from_array != nullptr && from == nullptr) || (p.to_array != nullptr && to == nullptr))
    return cudaErrorInvalidResourceHandle;
  if ((from != nullptr && p.from.pointer != nullptr) || (to != nullptr && p.to.pointer != nullptr))
    return cudaErrorInvalidValue;
  // If one side is an array, widths are numbers of texels.
  if (from != nullptr && to != nullptr && from->texel_bytes() != to->texel_bytes()) return cudaErrorInvalidValue;
  const std::size_t unit = from != nullptr ? from->texel_bytes() : to != nullptr ? to->texel_bytes() : 1;
  made = {};
  made.width = p.size.width * unit, made.height = p.size.height, made.depth = p.size.depth;
  made.kind = p.kind;
  if ((to != nullptr && (p.kind == device_to_host || p.kind == host_to_host)) ||
      (from != nullptr && (p.kind == host_to_device || p.kind == host_to_host)))
    return cudaErrorInvalidMemcpyDirection;
  const auto take = [&](const array* a, const pitched_pointer& b, const position& at, array_side& side) {
    if (a != nullptr) return side_of(*a, at.x * unit, at.y, at.z, made, side);
    side.pitch = b.pitch, side.slice = b.pitch * b.height;
    side.begin = reinterpret_cast<std::uint64_t>(b.pointer) + at.z * side.slice + at.y * b.pitch + at.x;
    return cudaSuccess;
  };
  array_side source, target;
  if (const error e = take(from, p.from, p.from_position, source); e != cudaSuccess) return e;
  if (const error e = take(to, p.to, p.to_position, target); e != cudaSuccess) return e;
  made.from = source.begin, made.from_pitch = source.pitch, made.from_slice = source.slice;
  made.to = target.begin, made.to_pitch = target.pitch, made.to_slice = target.slice;
  return cudaSuccess;
}

}  // namespace bankwise::cuda
