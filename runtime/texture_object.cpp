#include "texture_object.hpp"

#include <algorithm>

#include "state.hpp"

namespace bankwise::cuda {

namespace {

using emulate::texel_kind;

constexpr std::uint64_t address_alignment = 512, pitch_alignment = 32;
constexpr unsigned texture_flags =
    reads_integers | normalized_coordinates | is_srgb | no_trilinear_optimization | is_seamless;

emulate::texel_format texels_of(array_format format, unsigned channels) {
  const texel_kind kind = format >= half_float ? texel_kind::floating
                          : format >= signed_8 ? texel_kind::signed_integer
                                               : texel_kind::unsigned_integer;
  return {kind, static_cast<std::uint8_t>(8 * channel_bytes(format)), static_cast<std::uint8_t>(channels)};
}
// A format of a view: 1 to 0x18, three numbers of channels each. Nothing: compressed blocks, or no such format.
bool format_of_view(int format, emulate::texel_format& to) {
  static constexpr array_format formats[] = {unsigned_8,  signed_8,  unsigned_16, signed_16,
                                             unsigned_32, signed_32, half_float,  float_32};
  if (format < 1 || format > 0x18) return false;
  const auto n = static_cast<unsigned>(format - 1);
  to = texels_of(formats[n / 3], 1u << n % 3);
  return true;
}

void take(const array_3d_descriptor& like, emulate::texture& t) {
  t.layered = (like.flags & is_layered) != 0;
  const bool is_cube = (like.flags & is_cubemap) != 0;
  t.shape = is_cube                         ? emulate::texture_shape::cube
            : like.height == 0              ? emulate::texture_shape::one
            : like.depth != 0 && !t.layered ? emulate::texture_shape::three
                                            : emulate::texture_shape::two;
  t.format = texels_of(like.format, like.channels);
}

error take_resource(state& s, const resource_descriptor& r, emulate::texture& t) {
  const auto is_there = [&](std::uint64_t at, std::uint64_t bytes) { return s.memory.at(at, bytes) != nullptr; };
  switch (r.kind) {
    case array_resource: {
      const array* a = find_array(s, r.array);
      if (a == nullptr) return cudaErrorInvalidResourceHandle;
      take(a->like, t);
      t.levels = {a->where};
      return cudaSuccess;
    }
    case mipmapped_resource: {
      const mipmapped_array* m = find_mipmapped_array(s, r.array);
      if (m == nullptr) return cudaErrorInvalidResourceHandle;
      take(m->like, t);
      for (const auto& level : m->levels) t.levels.push_back(level->where);
      return cudaSuccess;
    }
    case linear_resource: {
      t.shape = emulate::texture_shape::one;
      t.is_linear_memory = true;
      t.format = texels_of(r.linear.format, r.linear.channels);
      const unsigned bytes = t.format.bytes();
      if (bytes == 0 || r.linear.at % address_alignment != 0 || r.linear.bytes < bytes) return cudaErrorInvalidValue;
      const std::uint64_t width = r.linear.bytes / bytes;
      if (width > (std::uint64_t{1} << 28) || !is_there(r.linear.at, r.linear.bytes)) return cudaErrorInvalidValue;
      t.levels = {{r.linear.at, static_cast<std::uint32_t>(width), 1, 1, width * bytes, width * bytes}};
      return cudaSuccess;
    }
    case pitch_2d_resource: {
      const auto& p = r.pitch_2d;
      t.shape = emulate::texture_shape::two;
      t.format = texels_of(p.format, p.channels);
      const unsigned bytes = t.format.bytes();
      if (bytes == 0 || p.at % address_alignment != 0 || p.pitch % pitch_alignment != 0) return cudaErrorInvalidValue;
      if (p.width == 0 || p.height == 0 || p.width > 131072 || p.height > 65000 || p.pitch > 2097120 ||
          p.width * bytes > p.pitch)
        return cudaErrorInvalidValue;
      t.levels = {{p.at, static_cast<std::uint32_t>(p.width), static_cast<std::uint32_t>(p.height), 1, p.pitch,
                   p.pitch * p.height}};
      return is_there(p.at, t.levels[0].bytes(bytes)) ? cudaSuccess : cudaErrorInvalidValue;
    }
  }
  return cudaErrorInvalidValue;
}

error take_view(const view_descriptor& v, emulate::texture& t) {
  const unsigned before = t.format.bytes();
  if (v.format != 0) {
    emulate::texel_format as;
    if (v.format > 0x18) say("a view of a texture as compressed blocks is not executed yet");
    if (v.format > 0x18 && v.format <= 0x22) return cudaErrorNotSupported;
    if (!format_of_view(v.format, as) || as.bytes() != before) return cudaErrorInvalidValue;
    t.format = as;
  }
  if (v.last_level >= t.levels.size() || v.first_level > v.last_level) return cudaErrorInvalidValue;
  t.levels = {t.levels.begin() + v.first_level, t.levels.begin() + v.last_level + 1};
  if (!t.layered) return cudaSuccess;
  for (emulate::texture_level& l : t.levels) {
    if (v.last_layer >= l.depth || v.first_layer > v.last_layer) return cudaErrorInvalidValue;
    l.address += v.first_layer * l.slice;
    l.depth = v.last_layer - v.first_layer + 1;
  }
  return cudaSuccess;
}

error take_texture(const texture_descriptor& d, emulate::texture& t) {
  for (int mode : d.address_mode)
    if (mode < 0 || mode > 3) return cudaErrorInvalidValue;
  if (d.is_linear < 0 || d.is_linear > 1 || d.between_levels_linear < 0 || d.between_levels_linear > 1)
    return cudaErrorInvalidValue;
  if ((d.flags & ~texture_flags) != 0) return cudaErrorInvalidValue;
  for (unsigned n = 0; n < 3; ++n) t.modes[n] = static_cast<emulate::address_mode>(d.address_mode[n]);
  t.linear = d.is_linear != 0 && !t.is_linear_memory;
  t.linear_between_levels = d.between_levels_linear != 0;
  t.as_integers = (d.flags & reads_integers) != 0;
  t.normalized = (d.flags & normalized_coordinates) != 0;
  t.srgb = (d.flags & is_srgb) != 0;
  t.seamless = (d.flags & is_seamless) != 0;
  t.trilinear_optimization = (d.flags & no_trilinear_optimization) == 0;
  t.most_anisotropy = d.most_anisotropy;
  t.level_bias = d.level_bias, t.first_level = d.first_level, t.last_level = d.last_level;
  for (unsigned n = 0; n < 4; ++n) t.border[n] = d.border[n];
  const bool integers = t.format.kind != texel_kind::floating && (t.as_integers || t.format.bits == 32);
  if (t.linear && integers) return cudaErrorInvalidFilterSetting;
  if (t.levels.size() > 1 && !t.normalized) return cudaErrorInvalidValue;
  return cudaSuccess;
}

error add(state& s, emulate::texture t, const object_descriptors& made_of, unsigned long long* made) {
  const std::uint32_t handle = s.next_object++;
  s.memory.textures[handle] = std::move(t);
  s.objects[handle] = made_of;
  *made = handle;
  return cudaSuccess;
}

}  // namespace

error make_texture_object(state& s, const resource_descriptor* resource, const texture_descriptor* texture,
                          const view_descriptor* view, unsigned long long* made) {
  if (made == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (texture == nullptr) return cudaErrorInvalidResourceHandle;
  object_descriptors of{*resource, *texture, view != nullptr ? *view : view_descriptor{}, view != nullptr, false};
  emulate::texture t;
  if (const error e = take_resource(s, *resource, t); e != cudaSuccess) return e;
  if (view != nullptr)
    if (const error e = take_view(*view, t); e != cudaSuccess) return e;
  if (const error e = take_texture(*texture, t); e != cudaSuccess) return e;
  return add(s, std::move(t), of, made);
}
error make_surface_object(state& s, const resource_descriptor* resource, unsigned long long* made) {
  if (made == nullptr || resource == nullptr || resource->kind != array_resource) return cudaErrorInvalidValue;
  const array* a = find_array(s, resource->array);
  if (a == nullptr) return cudaErrorInvalidResourceHandle;
  if ((a->like.flags & has_surfaces) == 0) return cudaErrorInvalidValue;
  emulate::texture t;
  if (const error e = take_resource(s, *resource, t); e != cudaSuccess) return e;
  t.is_surface = true;
  return add(s, std::move(t), {*resource, {}, {}, false, true}, made);
}

const object_descriptors* descriptors_of(const state& s, unsigned long long object, bool is_surface) {
  const auto it = s.objects.find(object);
  return it == s.objects.end() || it->second.is_surface != is_surface ? nullptr : &it->second;
}
error destroy_object(state& s, unsigned long long object, bool is_surface) {
  if (object == 0 || descriptors_of(s, object, is_surface) == nullptr) return cudaSuccess;
  settle_all(s);  // what is pending may read it
  s.memory.textures.erase(static_cast<std::uint32_t>(object));
  s.objects.erase(object);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
