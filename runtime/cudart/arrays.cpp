// The runtime's functions for arrays, their copies, textures and surfaces.
#include "runtime/cudart/define_entries.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/memory/texture_object.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise::cuda;

namespace {

// --- conversions between the descriptors of the runtime and the driver

error resource_of(const runtime_resource& r, resource_descriptor& to) {
  to = {};
  to.kind = r.kind;
  switch (r.kind) {
    case linear_resource: {
      to.linear.at = reinterpret_cast<std::uint64_t>(r.linear.at), to.linear.bytes = r.linear.bytes;
      return format_of(r.linear.format, to.linear.format, to.linear.channels);
    }
    case pitch_2d_resource: {
      auto& p = to.pitch_2d;
      p.at = reinterpret_cast<std::uint64_t>(r.pitch_2d.at);
      p.width = r.pitch_2d.width, p.height = r.pitch_2d.height, p.pitch = r.pitch_2d.pitch;
      return format_of(r.pitch_2d.format, p.format, p.channels);
    }
    default: to.array = r.array; return cudaSuccess;
  }
}
runtime_resource runtime_resource_of(const resource_descriptor& r) {
  runtime_resource to{};
  to.kind = r.kind;
  const auto channels = [](array_format format, unsigned count) { return channels_of({0, 0, 0, format, count, 0}); };
  if (r.kind == linear_resource) {
    to.linear = {reinterpret_cast<void*>(r.linear.at), channels(r.linear.format, r.linear.channels), r.linear.bytes};
  } else if (r.kind == pitch_2d_resource) {
    const auto& p = r.pitch_2d;
    to.pitch_2d = {reinterpret_cast<void*>(p.at), channels(p.format, p.channels), p.width, p.height, p.pitch};
  } else {
    to.array = r.array;
  }
  return to;
}
texture_descriptor texture_of(const runtime_texture& t) {
  texture_descriptor to{};
  for (int n = 0; n < 3; ++n) to.address_mode[n] = t.address_mode[n];
  for (int n = 0; n < 4; ++n) to.border[n] = t.border[n];
  to.is_linear = t.is_linear, to.between_levels_linear = t.between_levels_linear;
  to.flags = (t.reads_floats != 1 ? unsigned{reads_integers} : 0) |
             (t.normalized != 0 ? unsigned{normalized_coordinates} : 0) | (t.is_srgb != 0 ? unsigned{is_srgb} : 0) |
             (t.no_trilinear_optimization != 0 ? unsigned{no_trilinear_optimization} : 0) |
             (t.is_seamless != 0 ? unsigned{is_seamless} : 0);
  to.most_anisotropy = t.most_anisotropy;
  to.level_bias = t.level_bias, to.first_level = t.first_level, to.last_level = t.last_level;
  return to;
}
runtime_texture runtime_texture_of(const texture_descriptor& t) {
  runtime_texture to{};
  for (int n = 0; n < 3; ++n) to.address_mode[n] = t.address_mode[n];
  for (int n = 0; n < 4; ++n) to.border[n] = t.border[n];
  const auto has = [&](texture_flag f) { return (t.flags & f) != 0 ? 1 : 0; };
  to.is_linear = t.is_linear, to.between_levels_linear = t.between_levels_linear;
  to.reads_floats = 1 - has(reads_integers), to.normalized = has(normalized_coordinates), to.is_srgb = has(is_srgb);
  to.no_trilinear_optimization = has(no_trilinear_optimization), to.is_seamless = has(is_seamless);
  to.most_anisotropy = t.most_anisotropy;
  to.level_bias = t.level_bias, to.first_level = t.first_level, to.last_level = t.last_level;
  return to;
}
// Checks a texture's reading mode. The driver does not have these rules of the runtime.
error check_reading(const state& s, const resource_descriptor& r, const runtime_texture& how) {
  array_format format{};
  if (r.kind == linear_resource) format = r.linear.format;
  if (r.kind == pitch_2d_resource) format = r.pitch_2d.format;
  if (r.kind == array_resource || r.kind == mipmapped_resource) {
    const array_3d_descriptor* like = what_it_is_like(s, r);
    if (like == nullptr) return cudaErrorInvalidResourceHandle;
    format = like->format;
  }
  const bool is_float = format == float_32 || format == half_float;
  const bool becomes_float = how.reads_floats == 1;
  // Only 8-bit and 16-bit integers can be read as floats from 0 to 1.
  if (becomes_float && (is_float || format == unsigned_32 || format == signed_32)) return cudaErrorInvalidNormSetting;
  return how.is_linear == 1 && !is_float && !becomes_float ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

error descriptor_of(const channel_format* channels, const extent& size, unsigned flags, array_3d_descriptor& to) {
  if (channels == nullptr) return cudaErrorInvalidValue;
  to = {size.width, size.height, size.depth, {}, 0, flags};
  return format_of(*channels, to.format, to.channels);
}

error make_array(state& s, const channel_format* channels, const extent& size, unsigned flags, array** made) {
  array_3d_descriptor like{};
  const error e = descriptor_of(channels, size, flags, like);
  return e == cudaSuccess ? make_array(s, like, made) : e;
}
error make_mipmapped(state& s, const channel_format* channels, const extent& size, unsigned levels, unsigned flags,
                     mipmapped_array** made) {
  array_3d_descriptor like{};
  const error e = descriptor_of(channels, size, flags, like);
  return e == cudaSuccess ? make_mipmapped_array(s, like, levels, made) : e;
}
error tell_array(const state& s, channel_format* channels, extent* size, unsigned* flags, const array* a) {
  const array* found = find_array(s, a);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  const array_3d_descriptor& d = found->like;
  if (channels != nullptr) *channels = channels_of(d);
  if (size != nullptr) *size = {d.width, d.height, d.depth};
  if (flags != nullptr) *flags = d.flags;
  return cudaSuccess;
}
error tell_channels(const state& s, channel_format* channels, const array* a) {
  const array* found = find_array(s, a);
  return found == nullptr ? cudaErrorInvalidResourceHandle : put(channels, channels_of(found->like));
}
error tell_most_texels(std::size_t* width, const channel_format* channels, int device) {
  array_format format{};
  unsigned count = 0;
  if (width == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  const error e = format_of(*channels, format, count);
  if (e == cudaSuccess) *width = std::size_t{1} << 28;
  return e;
}

error make_texture(state& s, unsigned long long* made, const given_resource* resource, const runtime_texture* texture,
                   const given_view* view) {
  if (made == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (texture == nullptr) return cudaErrorInvalidResourceHandle;
  resource_descriptor from{};
  if (const error e = resource_of(resource->whole(), from); e != cudaSuccess) return e;
  if (const error e = check_reading(s, from, *texture); e != cudaSuccess) return e;
  const texture_descriptor how = texture_of(*texture);
  const view_descriptor seen = view != nullptr ? view->whole() : view_descriptor{};
  return make_texture_object(s, &from, &how, view != nullptr ? &seen : nullptr, made);
}
error make_surface(state& s, unsigned long long* made, const given_resource* resource) {
  if (made == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  resource_descriptor from{};
  const error e = resource_of(resource->whole(), from);
  return e == cudaSuccess ? make_surface_object(s, &from, made) : e;
}

// --- copies between an array and memory or another array

struct spot {
  const array* in = nullptr;
  std::size_t x = 0, y = 0;
};
error copy_rows(state& s, const spot& to_array, const spot& from_array, const void* memory, std::size_t pitch,
                std::size_t width, std::size_t height, copy_kind kind, stream* on) {
  if (kind < host_to_host || kind > by_address) return cudaErrorInvalidMemcpyDirection;
  if ((to_array.in != nullptr && (kind == device_to_host || kind == host_to_host)) ||
      (from_array.in != nullptr && (kind == host_to_device || kind == host_to_host)))
    return cudaErrorInvalidMemcpyDirection;
  if (memory != nullptr && height > 1 && pitch < width) return cudaErrorInvalidPitchValue;
  copy c;
  c.width = width, c.height = height;
  c.kind = kind;
  array_side to{reinterpret_cast<std::uint64_t>(memory), pitch, pitch * height}, from = to;
  const auto take = [&](const spot& at, array_side& side) {
    if (at.in == nullptr) return cudaSuccess;
    const array* a = find_array(s, at.in);
    return a == nullptr ? cudaErrorInvalidResourceHandle : side_of(*a, at.x, at.y, 0, c, side);
  };
  if (const error e = take(to_array, to); e != cudaSuccess) return e;
  if (const error e = take(from_array, from); e != cudaSuccess) return e;
  c.to = to.begin, c.to_pitch = to.pitch, c.to_slice = to.slice;
  c.from = from.begin, c.from_pitch = from.pitch, c.from_slice = from.slice;
  return enqueue(s, on, c);
}

// Divides a range of bytes in an array into pieces: the rest of the first row, the complete rows, the start of the last
// row. Calls `part` for each piece.
template <class Part>
error in_rows(const state& s, const spot& at, std::size_t bytes, Part part) {
  const array* a = find_array(s, at.in);
  if (a == nullptr) return cudaErrorInvalidResourceHandle;
  const std::size_t row = a->where.pitch, rows = a->where.height;
  std::size_t x = at.x, y = at.y;
  if (x > row || y > rows || bytes > row * rows || y * row + x + bytes > row * rows) return cudaErrorInvalidValue;
  for (std::size_t done = 0; done < bytes;) {
    const bool whole = x == 0 && bytes - done >= row;
    const std::size_t width = whole ? row : std::min(row - x, bytes - done), height = whole ? (bytes - done) / row : 1;
    if (const error e = part(spot{at.in, x, y}, done, width, height); e != cudaSuccess) return e;
    done += width * height;
    x = 0, y += height;
  }
  return cudaSuccess;
}
error copy_to_array(state& s, const spot& to, const void* from, std::size_t bytes, copy_kind kind, stream* on) {
  return in_rows(s, to, bytes, [&](const spot& at, std::size_t done, std::size_t width, std::size_t height) {
    return copy_rows(s, at, {}, static_cast<const char*>(from) + done, width, width, height, kind, on);
  });
}
error copy_from_array(state& s, void* to, const spot& from, std::size_t bytes, copy_kind kind, stream* on) {
  return in_rows(s, from, bytes, [&](const spot& at, std::size_t done, std::size_t width, std::size_t height) {
    return copy_rows(s, {}, at, static_cast<char*>(to) + done, width, width, height, kind, on);
  });
}

template <class Body>
error with_object(const state& s, unsigned long long object, bool is_surface, Body body) {
  const object_descriptors* of = descriptors_of(s, object, is_surface);
  return of != nullptr ? body(of) : cudaErrorInvalidValue;
}

}  // namespace

// Evaluates `status`, an expression in which `of` contains the descriptors of `object`. Returns an error if there is no
// such object.
#define OF_OBJECT(is_surface, status) \
  with_object(s, object, is_surface, [&](const object_descriptors* of) -> error { return status; })

#include "runtime/cudart/entries/arrays.def"
