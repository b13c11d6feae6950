#include "runtime/memory/copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "runtime/clock/timed_operations.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/memory/host_copies.hpp"

namespace bankwise::cuda {

namespace {

// Returns the number of bytes from the first byte of a box to its last byte, including the gaps between rows and
// slices.
std::size_t reach(std::size_t pitch, std::size_t slice, std::size_t width, std::size_t height, std::size_t depth) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

// Returns the host's address of bytes in device memory. Returns null if the bytes are not inside one allocation.
std::byte* device_bytes(state& s, std::uint64_t address, std::size_t bytes) {
  return s.memory.bytes_at(address, bytes);
}

// Zeroes memory. Complete pages are returned to the host, which supplies zeros at the next use. So a program can clear
// an allocation that is larger than the memory of the host machine.
void clear(std::byte* from, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;
  const std::size_t inside = bytes > before ? (bytes - before) / page * page : 0;
  if (inside == 0 || ::madvise(from + before, inside, MADV_DONTNEED) != 0) {
    std::memset(from, 0, bytes);
    return;
  }
  std::memset(from, 0, before);
  std::memset(from + before + inside, 0, bytes - before - inside);
}

// From this size on, returning pages to the host is faster than writing zeros.
constexpr std::size_t many_bytes = 1 << 20;

// Whether the memory belongs only to this process: it is device memory that is not mapped from a file.
bool is_own(const state& s, std::uint64_t address) {
  const allocation* a = allocation_of(s, pointer_to(address)).second;
  return a != nullptr && a->kind == allocation_kind::device && a->file < 0;
}

}  // namespace

error run_operation(state& s, const copy& c) {
  if (c.width == 0 || c.height == 0 || c.depth == 0) return cudaSuccess;
  if (c.height > 1 && (c.to_pitch < c.width || c.from_pitch < c.width)) return cudaErrorInvalidPitchValue;
  const std::size_t to_bytes = reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  const std::size_t from_bytes = reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  const std::byte* const to = device_bytes(s, c.to, to_bytes);
  const std::byte* const from = device_bytes(s, c.from, from_bytes);
  const bool to_device = c.kind == host_to_device || c.kind == device_to_device;
  const bool from_device = c.kind == device_to_host || c.kind == device_to_device;
  // If a range of addresses is not inside one allocation, it is treated as memory of the host. Returns an error if the
  // copy's kind or the address is that of device memory.
  const auto only_on_device = [&](std::uint64_t address) {
    const emulate::region* r = s.memory.find(address);
    return r != nullptr && reinterpret_cast<std::uint64_t>(r->data) != r->address;
  };
  if (to == nullptr && (to_device || only_on_device(c.to))) return cudaErrorInvalidValue;
  if (from == nullptr && (from_device || only_on_device(c.from))) return cudaErrorInvalidValue;
  if (c.to == 0 || c.from == 0) return cudaErrorInvalidValue;
  add_to_clock(s, c);
  if (put_off(s, c)) return cudaSuccess;
  perform_copy(s, c);
  return cudaSuccess;
}

void perform_copy(state& s, const copy& c) {
  std::byte* to = device_bytes(s, c.to, reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth));
  const std::byte* from = device_bytes(s, c.from, reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth));
  if (to == nullptr)
    to = reinterpret_cast<std::byte*>(c.to);
  else
    the_repeated_launches().note_change(s, c.to, reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth));
  if (from == nullptr) from = reinterpret_cast<const std::byte*>(c.from);
  note_copy(s, c, from);
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(to + z * c.to_slice + y * c.to_pitch, from + z * c.from_slice + y * c.from_pitch, c.width);
}

error run_operation(state& s, const fill& f) {
  if (f.width == 0 || f.height == 0 || f.depth == 0) return cudaSuccess;
  if (f.element_bytes != 1 && f.element_bytes != 2 && f.element_bytes != 4) return cudaErrorInvalidValue;
  const std::size_t width = f.width * f.element_bytes;
  if (f.height > 1 && f.pitch < width) return cudaErrorInvalidPitchValue;
  if (device_bytes(s, f.to, reach(f.pitch, f.slice, width, f.height, f.depth)) == nullptr) return cudaErrorInvalidValue;
  add_to_clock(s, f);
  if (!put_off(s, f)) perform_fill(s, f);
  return cudaSuccess;
}

void perform_fill(state& s, const fill& f) {
  const std::size_t width = f.width * f.element_bytes;
  const std::size_t bytes = reach(f.pitch, f.slice, width, f.height, f.depth);
  std::byte* to = device_bytes(s, f.to, bytes);
  the_repeated_launches().note_change(s, f.to, bytes);
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y) {
      std::byte* row_begin = to + z * f.slice + y * f.pitch;
      if (f.value == 0 && width >= many_bytes && is_own(s, f.to))
        clear(row_begin, width);
      else if (f.element_bytes == 1)
        std::memset(row_begin, static_cast<int>(f.value), width);
      else
        for (std::size_t x = 0; x < width; x += f.element_bytes) std::memcpy(row_begin + x, &f.value, f.element_bytes);
    }
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
