#include "runtime/memory/texture_object.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/device/state.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"

namespace bankwise::cuda {

namespace {

using emulate::texel_kind;

// The limits of descriptors were measured on a driver: tests/textures/descriptors.cpp,
// data/sm_90/texture_descriptors.csv.
constexpr std::uint64_t address_alignment = 512, pitch_alignment = 32;
constexpr unsigned texture_flags = 63 | is_seamless;

emulate::texel_format texels_of(array_format format, unsigned channels) {
  const texel_kind kind = format >= half_float ? texel_kind::floating
                          : format >= signed_8 ? texel_kind::signed_integer
                                               : texel_kind::unsigned_integer;
  return {kind, static_cast<std::uint8_t>(8 * channel_bytes(format)), static_cast<std::uint8_t>(channels)};
}
// Converts the format of a view, which is a number from 1 to 0x18. Each element type has three formats: with 1, 2 and 4
// channels. Returns false for compressed formats and invalid numbers.
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

bool is_zero(const auto& words) {
  return std::all_of(std::begin(words), std::end(words), [](auto word) { return word == 0; });
}

bool has_channels(array_format format, unsigned channels) {
  return channel_bytes(format) != 0 && (channels == 1 || channels == 2 || channels == 4);
}

// Returns the number of rows that begin in existing memory, at most `rows`. NVIDIA's driver also accepts rows that
// begin after the end of the memory. Reads of such rows fault.
std::uint64_t rows_there(const state& s, std::uint64_t at, std::uint64_t step, std::uint64_t bytes,
                         std::uint64_t rows) {
  const emulate::region* r = s.memory.find(at);
  if (r == nullptr || rows == 0 || bytes == 0) return rows;
  const std::uint64_t room = r->address + r->bytes - at;
  if (room < bytes) return rows;
  return step == 0 ? rows : std::min(rows, (room - bytes) / step + 1);
}

error take_resource(const state& s, const resource_descriptor& r, emulate::texture& t) {
  if (r.flags != 0) return cudaErrorInvalidValue;
  switch (r.kind) {
    case array_resource: {
      const array* a = find_array(s, r.array);
      if (a == nullptr) return cudaErrorInvalidValue;
      take(a->like, t);
      t.levels = {a->where};
      return cudaSuccess;
    }
    case mipmapped_resource: {
      const mipmapped_array* m = find_mipmapped_array(s, r.array);
      if (m == nullptr) return cudaErrorInvalidValue;
      take(m->like, t);
      for (const auto& level : m->levels) t.levels.push_back(level->where);
      return cudaSuccess;
    }
    case linear_resource: {
      const auto& l = r.linear;
      if (!has_channels(l.format, l.channels) || l.at == 0 || l.at % address_alignment != 0)
        return cudaErrorInvalidValue;
      t.shape = emulate::texture_shape::one;
      t.is_linear_memory = true;
      t.format = texels_of(l.format, l.channels);
      const unsigned bytes = t.format.bytes();
      if (l.bytes / bytes > std::uint64_t{1} << 30) return cudaErrorInvalidValue;
      const std::uint64_t width = rows_there(s, l.at, bytes, bytes, l.bytes / bytes);
      t.levels = {{l.at, static_cast<std::uint32_t>(width), 1, 1, width * bytes, width * bytes}};
      return cudaSuccess;
    }
    case pitch_2d_resource: {
      const auto& p = r.pitch_2d;
      if (!has_channels(p.format, p.channels) || p.at == 0 || p.at % address_alignment != 0)
        return cudaErrorInvalidValue;
      if (p.pitch % pitch_alignment != 0 || p.width > 131072 || p.height > 65000 || p.pitch > 2097120)
        return cudaErrorInvalidValue;
      t.shape = emulate::texture_shape::two;
      t.is_pitched_memory = true;
      t.format = texels_of(p.format, p.channels);
      if (p.width == 0 || p.height == 0) {
        t.levels = {{p.at, 0, 1, 1, 0, 0}};
        return cudaSuccess;
      }
      const std::uint64_t height = rows_there(s, p.at, p.pitch, p.width * t.format.bytes(), p.height);
      t.levels = {{p.at, static_cast<std::uint32_t>(p.width), static_cast<std::uint32_t>(height), 1, p.pitch,
                   p.pitch * height}};
      return cudaSuccess;
    }
  }
  return cudaErrorInvalidValue;
}

// Applies the view of an array. For all other resources, NVIDIA's driver does not check the view.
error take_view(const view_descriptor& v, const array_3d_descriptor& like, emulate::texture& t, bool is_mipmapped) {
  const unsigned before = t.format.bytes();
  emulate::texel_format as;
  const bool is_compressed = v.format > 0x18 && v.format <= 0x22;
  // A compressed block has 4 x 4 texels. A block has 8 bytes in the formats BC1 and BC4, and 16 bytes in all other
  // formats.
  const unsigned block = v.format == 0x19 || v.format == 0x1c || v.format == 0x1d ? 8 : 16;
  if (is_compressed ? block != before : !format_of_view(v.format, as) || as.bytes() != before)
    return cudaErrorInvalidValue;
  const std::size_t side = is_compressed ? 4 : 1;
  if (v.width != side * like.width || v.height != side * like.height || v.depth != like.depth || !is_zero(v.reserved))
    return cudaErrorInvalidValue;
  if (v.first_level > v.last_level || (!is_mipmapped && v.last_level != 0)) return cudaErrorInvalidValue;
  if (v.first_layer > v.last_layer || (!t.layered && v.last_layer != 0)) return cudaErrorInvalidValue;
  if (is_compressed) {
    say("bankwise does not support a view of a texture as compressed blocks yet");
    return cudaErrorNotSupported;
  }
  t.format = as;
  // If a level or layer is after the last one, this is not an error: the last level or layer is used.
  const auto level_at = [&](std::size_t n) {
    return t.levels.begin() + static_cast<std::ptrdiff_t>(std::min(n, t.levels.size() - 1));
  };
  t.levels = {level_at(v.first_level), level_at(v.last_level) + 1};
  if (!t.layered) return cudaSuccess;
  for (emulate::texture_level& l : t.levels) {
    const unsigned last = l.depth - 1, first = std::min(v.first_layer, last);
    l.address += first * l.slice;
    l.depth = std::min(v.last_layer, last) - first + 1;
  }
  return cudaSuccess;
}

unsigned axes_of(const emulate::texture& t) {
  return t.shape == emulate::texture_shape::one ? 1 : t.shape == emulate::texture_shape::three ? 3 : 2;
}

// Applies the descriptor of a texture. Coordinates of mipmapped arrays are always normalized.
error take_texture(const texture_descriptor& d, emulate::texture& t, bool is_mipmapped) {
  for (unsigned n = 0; n < 3; ++n) {
    const bool is_known = d.address_mode[n] >= 0 && d.address_mode[n] <= 3;
    if (!is_known && n < axes_of(t)) return cudaErrorInvalidValue;
    if (is_known) t.modes[n] = static_cast<emulate::address_mode>(d.address_mode[n]);
  }
  if (d.is_linear < 0 || d.is_linear > 1 || d.between_levels_linear < 0 || d.between_levels_linear > 1)
    return cudaErrorInvalidValue;
  if ((d.flags & ~texture_flags) != 0 || !is_zero(d.reserved)) return cudaErrorInvalidValue;
  if ((d.flags & is_seamless) != 0 && t.shape != emulate::texture_shape::cube) return cudaErrorInvalidValue;
  t.linear = d.is_linear != 0 && !t.is_linear_memory;
  t.linear_between_levels = d.between_levels_linear != 0;
  t.as_integers = (d.flags & reads_integers) != 0;
  t.normalized = (d.flags & normalized_coordinates) != 0 || is_mipmapped;
  t.srgb = (d.flags & is_srgb) != 0;
  t.seamless = (d.flags & is_seamless) != 0;
  t.trilinear_optimization = (d.flags & no_trilinear_optimization) == 0;
  t.most_anisotropy = d.most_anisotropy;
  t.level_bias = d.level_bias, t.first_level = d.first_level, t.last_level = d.last_level;
  for (unsigned n = 0; n < 4; ++n) t.border[n] = d.border[n];
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
  if (made == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  object_descriptors of{*resource, *texture, view != nullptr ? *view : view_descriptor{}, false};
  emulate::texture t;
  if (const error e = take_resource(s, *resource, t); e != cudaSuccess) return e;
  const bool is_mipmapped = resource->kind == mipmapped_resource;
  if (const array_3d_descriptor* like = view != nullptr ? what_it_is_like(s, *resource) : nullptr)
    if (const error e = take_view(*view, *like, t, is_mipmapped); e != cudaSuccess) return e;
  if (const error e = take_texture(*texture, t, is_mipmapped); e != cudaSuccess) return e;
  return add(s, std::move(t), of, made);
}
error make_surface_object(state& s, const resource_descriptor* resource, unsigned long long* made) {
  if (made == nullptr || resource == nullptr || resource->kind != array_resource) return cudaErrorInvalidValue;
  emulate::texture t;
  if (const error e = take_resource(s, *resource, t); e != cudaSuccess) return e;
  t.is_surface = true;
  return add(s, std::move(t), {*resource, {}, {}, true}, made);
}

const array_3d_descriptor* what_it_is_like(const state& s, const resource_descriptor& r) {
  if (r.kind == array_resource) {
    const array* a = find_array(s, r.array);
    return a == nullptr ? nullptr : &a->like;
  }
  if (r.kind != mipmapped_resource) return nullptr;
  const mipmapped_array* m = find_mipmapped_array(s, r.array);
  return m == nullptr ? nullptr : &m->like;
}
const object_descriptors* descriptors_of(const state& s, unsigned long long object, bool is_surface) {
  const auto it = s.objects.find(object);
  return it == s.objects.end() || it->second.is_surface != is_surface ? nullptr : &it->second;
}
error destroy_object(state& s, unsigned long long object, bool is_surface) {
  if (object == 0 || descriptors_of(s, object, is_surface) == nullptr) return cudaSuccess;
  settle_all(s);  // a pending operation may read the object
  s.memory.textures.erase(static_cast<std::uint32_t>(object));
  the_repeated_launches().forget_all();
  s.objects.erase(object);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
