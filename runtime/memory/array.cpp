#include "runtime/memory/array.hpp"

#include <algorithm>
#include <bit>

#include "runtime/device/device.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/memory/allocation.hpp"

namespace bankwise::cuda {

namespace {

// 0x1c0 are the flags for sparse arrays, arrays that are mapped later, and video arrays. These flags are accepted, but
// the arrays have memory from the start.
constexpr unsigned known_flags = is_layered | has_surfaces | is_cubemap | has_gather | 0x1c0;
constexpr char array_name[] = "an array";
enum kind_of_channel : int { signed_channel, unsigned_channel, float_channel };

// Whether the sizes of the array are within the limits in device_attributes.def.
bool fits(const array_3d_descriptor& d) {
  const auto at_most = [&](std::size_t width, std::size_t height, std::size_t depth) {
    return d.width <= width && d.height <= height && d.depth <= depth;
  };
  const bool layered = (d.flags & is_layered) != 0;
  if ((d.flags & has_gather) != 0 && !at_most(32768, 32768, d.depth)) return false;
  if ((d.flags & is_cubemap) != 0) return at_most(32768, 32768, layered ? 2046 : 6);
  if (layered) return at_most(32768, 32768, 2048);
  if (d.depth != 0) return at_most(16384, 16384, 16384) || at_most(8192, 8192, 32768);
  return at_most(131072, 65536, 0);
}
error check(const array_3d_descriptor& d) {
  if (channel_bytes(d.format) == 0 || (d.channels != 1 && d.channels != 2 && d.channels != 4))
    return cudaErrorInvalidValue;
  if ((d.flags & ~known_flags) != 0 || d.width == 0) return cudaErrorInvalidValue;
  const bool layered = (d.flags & is_layered) != 0;
  if (layered && d.depth == 0) return cudaErrorInvalidValue;
  if (!layered && d.depth != 0 && d.height == 0) return cudaErrorInvalidValue;
  if ((d.flags & is_cubemap) != 0) {
    if (d.width != d.height || d.depth == 0) return cudaErrorInvalidValue;
    if (layered ? d.depth % 6 != 0 : d.depth != 6) return cudaErrorInvalidValue;
  }
  if ((d.flags & has_gather) != 0 && (d.height == 0 || d.depth != 0)) return cudaErrorInvalidValue;
  return fits(d) ? cudaSuccess : cudaErrorInvalidValue;
}

emulate::texture_level level_of(const array_3d_descriptor& d) {
  emulate::texture_level l;
  l.width = static_cast<std::uint32_t>(d.width);
  l.height = static_cast<std::uint32_t>(std::max<std::size_t>(d.height, 1));
  l.depth = static_cast<std::uint32_t>(std::max<std::size_t>(d.depth, 1));
  l.pitch = std::uint64_t{l.width} * channel_bytes(d.format) * d.channels;
  l.slice = l.pitch * l.height;
  return l;
}

}  // namespace

unsigned channel_bytes(array_format format) {
  switch (format) {
    case unsigned_8:
    case signed_8: return 1;
    case unsigned_16:
    case signed_16:
    case half_float: return 2;
    case unsigned_32:
    case signed_32:
    case float_32: return 4;
  }
  return 0;
}
unsigned array::texel_bytes() const { return channel_bytes(like.format) * like.channels; }

error make_array(state& s, const array_3d_descriptor& like, array** made) {
  if (made == nullptr) return cudaErrorInvalidValue;
  if (const error e = check(like); e != cudaSuccess) return e;
  auto a = std::make_unique<array>();
  a->like = like;
  a->where = level_of(like);
  if (const error e = allocate_region(s, a->where.slice * a->where.depth, array_name, a->where.address);
      e != cudaSuccess)
    return e;
  *made = a.get();
  s.arrays[*made] = std::move(a);
  return cudaSuccess;
}

error make_mipmapped_array(state& s, const array_3d_descriptor& like, unsigned levels, mipmapped_array** made) {
  if (made == nullptr) return cudaErrorInvalidValue;
  if (const error e = check(like); e != cudaSuccess) return e;
  if (like.width > 32768 || like.height > 32768) return cudaErrorInvalidValue;
  const bool layered = (like.flags & (is_layered | is_cubemap)) != 0;
  const std::size_t largest = std::max({like.width, like.height, layered ? std::size_t{0} : like.depth});
  // A mipmapped array has at most as many levels as its largest size has bits in binary.
  const unsigned count = std::clamp<unsigned>(levels, 1, static_cast<unsigned>(std::bit_width(largest)));
  auto m = std::make_unique<mipmapped_array>();
  m->like = like;
  std::uint64_t bytes = 0;
  for (unsigned n = 0; n < count; ++n) {
    auto a = std::make_unique<array>();
    const auto smaller = [&](std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(size >> n, 1); };
    a->like = like;
    a->like.width = smaller(like.width), a->like.height = smaller(like.height);
    if (!layered) a->like.depth = smaller(like.depth);
    a->is_level = true;
    a->where = level_of(a->like);
    a->where.address = bytes;
    bytes += (a->where.slice * a->where.depth + 255) / 256 * 256;
    m->levels.push_back(std::move(a));
  }
  if (const error e = allocate_region(s, bytes, array_name, m->address); e != cudaSuccess) return e;
  for (const auto& a : m->levels) a->where.address += m->address;
  *made = m.get();
  s.mipmapped_arrays[*made] = std::move(m);
  return cudaSuccess;
}

error free_array(state& s, array* a) {
  if (a == nullptr) return cudaSuccess;
  const auto it = s.arrays.find(a);
  if (it == s.arrays.end()) return find_array(s, a) != nullptr ? cudaSuccess : cudaErrorContextIsDestroyed;
  release_when_settled(s, a->where.address);
  s.arrays.erase(it);
  return cudaSuccess;
}
error free_mipmapped_array(state& s, mipmapped_array* a) {
  if (a == nullptr) return cudaSuccess;
  const auto it = s.mipmapped_arrays.find(a);
  if (it == s.mipmapped_arrays.end()) return cudaErrorContextIsDestroyed;
  release_when_settled(s, a->address);
  s.mipmapped_arrays.erase(it);
  return cudaSuccess;
}

array* find_array(const state& s, const void* a) {
  const auto it = s.arrays.find(a);
  if (it != s.arrays.end()) return it->second.get();
  for (const auto& [handle, m] : s.mipmapped_arrays)
    for (const auto& level : m->levels)
      if (level.get() == a) return level.get();
  return nullptr;
}
mipmapped_array* find_mipmapped_array(const state& s, const void* a) {
  const auto it = s.mipmapped_arrays.find(a);
  return it == s.mipmapped_arrays.end() ? nullptr : it->second.get();
}

error side_of(const array& a, std::size_t x, std::size_t y, std::size_t z, const copy& c, array_side& side) {
  const emulate::texture_level& l = a.where;
  const auto inside = [](std::size_t at, std::size_t count, std::size_t size) {
    return at <= size && count <= size - at;
  };
  if (!inside(x, c.width, l.pitch) || !inside(y, c.height, l.height) || !inside(z, c.depth, l.depth))
    return cudaErrorInvalidValue;
  side = {l.address + z * l.slice + y * l.pitch + x, l.pitch, l.slice};
  return cudaSuccess;
}

error format_of(const channel_format& channels, array_format& format, unsigned& count) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  for (unsigned n = 0; n < 4; ++n)
    if (bits[n] != (n < count ? bits[0] : 0)) return cudaErrorInvalidChannelDescriptor;
  if (count != 1 && count != 2 && count != 4) return cudaErrorInvalidChannelDescriptor;
  static constexpr array_format of_bits[3][3] = {
      {signed_8, signed_16, signed_32}, {unsigned_8, unsigned_16, unsigned_32}, {array_format{}, half_float, float_32}};
  const int size = bits[0] == 8 ? 0 : bits[0] == 16 ? 1 : bits[0] == 32 ? 2 : -1;
  if (size < 0 || channels.kind < signed_channel || channels.kind > float_channel)
    return cudaErrorInvalidChannelDescriptor;
  format = of_bits[channels.kind][size];
  return channel_bytes(format) != 0 ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}
channel_format channels_of(const array_3d_descriptor& like) {
  const int bits = static_cast<int>(8 * channel_bytes(like.format));
  const auto channel = [&](unsigned n) { return n < like.channels ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3),
          like.format >= half_float ? float_channel
          : like.format >= signed_8 ? signed_channel
                                    : unsigned_channel};
}

}  // namespace bankwise::cuda
