#include "copy.hpp"

#include <cstring>

#include "state.hpp"

namespace bankwise::cuda {

namespace {

constexpr double copy_nanoseconds = 1000;  // of a copy of nothing
constexpr double bytes_a_nanosecond = 50;  // of a copy

// The bytes of a box, first to last.
std::size_t reach(std::size_t pitch, std::size_t slice, std::size_t width, std::size_t height, std::size_t depth) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

// Where the host finds these bytes of the device; null: not there.
std::byte* device_bytes(state& s, std::uint64_t address, std::size_t bytes) { return s.memory.at(address, bytes); }

}  // namespace

error run(state& s, const copy& c) {
  if (c.width == 0 || c.height == 0 || c.depth == 0) return cudaSuccess;
  if (c.height > 1 && (c.to_pitch < c.width || c.from_pitch < c.width)) return cudaErrorInvalidPitchValue;
  const std::size_t to_bytes = reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  const std::size_t from_bytes = reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  const std::byte* const to = device_bytes(s, c.to, to_bytes);
  const std::byte* const from = device_bytes(s, c.from, from_bytes);
  const bool to_device = c.kind == host_to_device || c.kind == device_to_device;
  const bool from_device = c.kind == device_to_host || c.kind == device_to_device;
  // What the device does not know is the host's own, unless it is said or seen to be the device's.
  const auto only_on_device = [&](std::uint64_t address) {
    const emulate::region* r = s.memory.find(address);
    return r != nullptr && reinterpret_cast<std::uint64_t>(r->data) != r->address;
  };
  if (to == nullptr && (to_device || only_on_device(c.to))) return cudaErrorInvalidValue;
  if (from == nullptr && (from_device || only_on_device(c.from))) return cudaErrorInvalidValue;
  if (c.to == 0 || c.from == 0) return cudaErrorInvalidValue;
  s.nanoseconds += copy_nanoseconds + static_cast<double>(c.width * c.height * c.depth) / bytes_a_nanosecond;
  if (put_off(s, c)) return cudaSuccess;
  perform_copy(s, c);
  return cudaSuccess;
}

void perform_copy(state& s, const copy& c) {
  std::byte* to = device_bytes(s, c.to, reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth));
  const std::byte* from = device_bytes(s, c.from, reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth));
  if (to == nullptr) to = reinterpret_cast<std::byte*>(c.to);
  if (from == nullptr) from = reinterpret_cast<const std::byte*>(c.from);
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(to + z * c.to_slice + y * c.to_pitch, from + z * c.from_slice + y * c.from_pitch, c.width);
}

error run(state& s, const fill& f) {
  if (f.width == 0 || f.height == 0 || f.depth == 0) return cudaSuccess;
  if (f.element_bytes != 1 && f.element_bytes != 2 && f.element_bytes != 4) return cudaErrorInvalidValue;
  const std::size_t width = f.width * f.element_bytes;
  if (f.height > 1 && f.pitch < width) return cudaErrorInvalidPitchValue;
  if (device_bytes(s, f.to, reach(f.pitch, f.slice, width, f.height, f.depth)) == nullptr) return cudaErrorInvalidValue;
  s.nanoseconds += copy_nanoseconds + static_cast<double>(width * f.height * f.depth) / bytes_a_nanosecond;
  if (!put_off(s, f)) perform_fill(s, f);
  return cudaSuccess;
}

void perform_fill(state& s, const fill& f) {
  const std::size_t width = f.width * f.element_bytes;
  std::byte* to = device_bytes(s, f.to, reach(f.pitch, f.slice, width, f.height, f.depth));
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y) {
      std::byte* row_begin = to + z * f.slice + y * f.pitch;
      if (f.element_bytes == 1)
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

error make_copy(const copy_3d_parameters& p, copy& made) {
  if (p.from_array != nullptr || p.to_array != nullptr) return cudaErrorNotSupported;
  const auto slice = [](const pitched_pointer& b) { return b.pitch * b.height; };
  const auto start = [&](const pitched_pointer& b, const position& at) {
    return reinterpret_cast<std::uint64_t>(b.pointer) + at.z * slice(b) + at.y * b.pitch + at.x;
  };
  made = {start(p.to, p.to_position),
          start(p.from, p.from_position),
          p.to.pitch,
          p.from.pitch,
          slice(p.to),
          slice(p.from),
          p.size.width,
          p.size.height,
          p.size.depth,
          p.kind};
  return cudaSuccess;
}

}  // namespace bankwise::cuda
