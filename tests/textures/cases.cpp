// The textures that are read, and the surfaces that are read and written.
#include "cases.hpp"

namespace bankwise::textures {

using enum cuda::array_format;
using cuda::is_seamless, cuda::is_srgb, cuda::normalized_coordinates, cuda::no_trilinear_optimization, cuda::reads_integers;

std::vector<texture_case> all_cases() {
  std::vector<texture_case> all;
  const cuda::array_format formats[] = {unsigned_8, unsigned_16, unsigned_32, signed_8, signed_16, signed_32, half_float, float_32};
  const auto integer = [](cuda::array_format f) { return f < half_float; };
  const auto add = [&](texture_case c) { all.push_back(c); };
  struct {
    const char *plain, *level, *gradient;
    unsigned width, height, depth;
  } dims[] = {{"tex_1d", "lod_1d", "grad_1d", 37, 0, 0}, {"tex_2d", "lod_2d", "grad_2d", 37, 29, 0}, {"tex_3d", "lod_3d", "grad_3d", 19, 13, 11}};
  // Formats: points as integers and as floats.
  for (auto f : formats) {
    for (unsigned channels : {1U, 2U, 4U}) {
      for (unsigned flags : {0U, +reads_integers}) {
        if (flags && !integer(f)) continue;
        if (!flags && (f == unsigned_32 || f == signed_32)) continue;
        add({.kernel = "tex_2d", .height = 29, .format = f, .channels = channels, .address = {3, 3, 3}, .flags = flags, .holds = content::bits, .threads = 512});
      }
    }
  }
  for (auto f : {unsigned_8, signed_8, unsigned_16, signed_16, half_float})
    add({.kernel = "tex_1d", .width = 65536, .format = f, .holds = content::bits, .threads = 8192});
  // Address modes.
  for (auto& d : dims)
    for (int linear = 0; linear < 2; ++linear)
      for (unsigned flags : {0U, +normalized_coordinates})
        for (int mode = 0; mode < 4; ++mode)
          add({.kernel = d.plain, .width = d.width, .height = d.height, .depth = d.depth, .linear = linear != 0, .address = {mode, (mode + (flags ? 1 : 0)) % 4, mode}, .flags = flags, .holds = linear ? content::plain : content::bits, .threads = 2048});
  // The blend, format by format.
  for (auto& d : dims)
    for (auto f : {unsigned_8, signed_8, unsigned_16, signed_16, half_float, float_32})
      for (unsigned channels : {1U, 2U, 4U})
        for (auto holds : {content::plain, content::single}) {
          if (channels == 2 && holds == content::single) continue;
          if (channels == 4 && holds == content::single && f != unsigned_8) continue;
          add({.kernel = d.plain, .width = d.width, .height = d.height, .depth = d.depth, .format = f, .channels = channels, .linear = true, .holds = holds, .threads = 2048});
        }
  for (auto& d : dims)
    for (auto f : {half_float, float_32})
      for (auto holds : {content::wide, content::steps, content::bits})
        add({.kernel = d.plain, .width = d.width, .height = d.height, .depth = d.depth, .format = f, .linear = true, .holds = holds, .threads = 8192});
  // Sizes: how exact is a coordinate?
  for (unsigned width : {1U, 2U, 3U, 64U, 100U, 1000U, 1024U, 4096U, 16384U, 32768U, 65536U, 131072U})
    for (unsigned flags : {0U, +normalized_coordinates})
      for (int linear = 0; linear < 2; ++linear)
        for (int mode = flags ? 0 : 1; mode < 3; ++mode)
          add({.kernel = "tex_1d", .width = width, .linear = linear != 0, .address = {mode, 1, 1}, .flags = flags, .holds = linear ? content::steps : content::bits, .threads = 1024});
  for (unsigned flags : {0U, +normalized_coordinates}) add({.kernel = "tex_2d", .width = 1000, .height = 333, .linear = true, .address = {1, 1, 1}, .flags = flags, .holds = content::steps, .threads = 8192});
  // Layers and cubes.
  for (int linear = 0; linear < 2; ++linear) {
    for (unsigned flags : {0U, +normalized_coordinates}) {
      add({.kernel = "tex_a1d", .form = shape::layered, .depth = 5, .linear = linear != 0, .flags = flags});
      add({.kernel = "tex_a2d", .form = shape::layered, .height = 29, .depth = 5, .linear = linear != 0, .flags = flags});
      add({.kernel = "tex_a2d", .form = shape::layered, .height = 29, .depth = 5, .linear = linear != 0, .address = {3, 3, 3}, .flags = flags});
    }
    for (unsigned flags : {+normalized_coordinates, normalized_coordinates | is_seamless, 0U})
      for (int mode : {0, 1, 3}) {
        add({.kernel = "tex_cube", .form = shape::cube, .width = 16, .height = 16, .depth = 6, .linear = linear != 0, .address = {mode, mode, mode}, .flags = flags, .holds = content::plain, .threads = 4096});
        add({.kernel = "tex_acube", .form = shape::layered_cube, .width = 7, .height = 7, .depth = 18, .linear = linear != 0, .address = {mode, mode, mode}, .flags = flags, .holds = content::plain, .threads = 2048});
      }
  }
  add({.kernel = "tex_cube", .form = shape::cube, .width = 16, .height = 16, .depth = 6, .format = unsigned_8, .channels = 4, .linear = true, .flags = normalized_coordinates | is_seamless, .threads = 2048});
  // Levels.
  for (auto& d : dims)
    for (const char* kernel : {d.plain, d.level, d.gradient})
      for (int linear = 0; linear < 2; ++linear)
        for (int between = 0; between < 2; ++between)
          for (unsigned flags : {+normalized_coordinates, normalized_coordinates | no_trilinear_optimization})
            add({.kernel = kernel, .width = d.width, .height = d.height, .depth = d.depth, .levels = d.depth ? 4U : 5U, .linear = linear != 0, .between = between != 0, .address = {linear, 1, 1}, .flags = flags, .last = 10, .threads = 2048});
  for (const char* kernel : {"lod_2d", "grad_2d"})
    for (auto holds : {content::steps, content::single})
      add({.kernel = kernel, .width = 32, .height = 32, .levels = 6, .linear = true, .between = true, .flags = normalized_coordinates | no_trilinear_optimization, .holds = holds, .last = 10, .threads = 8192});
  for (auto f : {unsigned_8, half_float, signed_16})
    add({.kernel = "lod_2d", .width = 32, .height = 32, .levels = 6, .format = f, .channels = 4, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10, .threads = 4096});
  for (float bias : {0.5F, -1.25F, 0.3F, 20.0F}) add({.kernel = "lod_2d", .width = 32, .height = 32, .levels = 6, .between = true, .flags = normalized_coordinates, .bias = bias, .last = 10});
  for (float first : {0.5F, 1.3F}) add({.kernel = "lod_2d", .width = 32, .height = 32, .levels = 6, .between = true, .flags = normalized_coordinates, .first = first, .last = 2.7F});
  add({.kernel = "lod_2d", .width = 32, .height = 32, .levels = 6, .flags = normalized_coordinates, .first = 0.5F, .last = 2.7F});
  add({.kernel = "tex_2d", .width = 32, .height = 32, .levels = 6, .between = true, .flags = normalized_coordinates, .bias = 1.3F, .first = 0.2F, .last = 2.7F});
  add({.kernel = "lod_2d", .width = 32, .height = 32, .levels = 6, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10, .view = 0x16, .first_level = 1, .last_level = 3});
  add({.kernel = "grad_2d", .width = 64, .height = 64, .levels = 7, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10, .anisotropy = 16, .threads = 4096});
  add({.kernel = "grad_2d", .width = 64, .height = 64, .levels = 7, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10, .anisotropy = 1, .threads = 4096});
  for (const char* kernel : {"lod_a2d", "grad_a2d"})
    add({.kernel = kernel, .form = shape::layered, .height = 29, .depth = 5, .levels = 5, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10});
  for (const char* kernel : {"lod_a1d", "grad_a1d"})
    add({.kernel = kernel, .form = shape::layered, .depth = 5, .levels = 5, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10});
  add({.kernel = "lod_cube", .form = shape::cube, .width = 16, .height = 16, .depth = 6, .levels = 5, .linear = true, .between = true, .flags = normalized_coordinates | is_seamless, .last = 10, .threads = 4096});
  add({.kernel = "lod_cube", .form = shape::cube, .width = 16, .height = 16, .depth = 6, .levels = 5, .linear = true, .between = true, .flags = normalized_coordinates, .last = 10, .threads = 4096});
  add({.kernel = "lod_acube", .form = shape::layered_cube, .width = 16, .height = 16, .depth = 12, .levels = 5, .flags = normalized_coordinates, .last = 10});
  // Four texels at once.
  for (const char* kernel : {"gather_r", "gather_g", "gather_b", "gather_a"})
    for (auto f : {float_32, unsigned_8, signed_16})
      add({.kernel = kernel, .height = 29, .format = f, .channels = 4, .address = {1, 3, 1}, .holds = content::bits});
  for (unsigned flags : {0U, +normalized_coordinates})
    for (int mode = 0; mode < 4; ++mode)
      for (int linear = 0; linear < 2; ++linear) add({.kernel = "gather_r", .height = 29, .linear = linear != 0, .address = {mode, mode, 1}, .flags = flags, .threads = 2048});
  // sRGB.
  for (int linear = 0; linear < 2; ++linear) {
    add({.kernel = "tex_1d", .width = 256, .format = unsigned_8, .channels = 4, .linear = linear != 0, .flags = is_srgb, .threads = 4096});
    add({.kernel = "tex_2d", .height = 29, .format = unsigned_8, .channels = 1, .linear = linear != 0, .flags = is_srgb});
  }
  // Memory as a texture.
  for (auto f : formats)
    for (unsigned channels : {1U, 2U, 4U})
      for (unsigned flags : {0U, +reads_integers}) {
        if (flags && !integer(f)) continue;
        if (!flags && (f == unsigned_32 || f == signed_32)) continue;
        add({.kernel = "fetch_1d", .form = shape::linear, .width = 100, .format = f, .channels = channels, .flags = flags, .holds = content::bits, .threads = 256});
      }
  add({.kernel = "tex_1d", .form = shape::linear, .width = 100, .threads = 256});
  for (int linear = 0; linear < 2; ++linear)
    for (unsigned flags : {0U, +normalized_coordinates})
      for (int mode = 0; mode < 4; ++mode) add({.kernel = "tex_2d", .form = shape::pitch_2d, .height = 29, .linear = linear != 0, .address = {mode, mode, 1}, .flags = flags});
  // Whole positions in arrays.
  for (int mode : {1, 3}) {
    add({.kernel = "fetch_1d", .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_2d", .height = 29, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_2d", .form = shape::pitch_2d, .height = 29, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_3d", .width = 19, .height = 13, .depth = 11, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_a1d", .form = shape::layered, .depth = 5, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_a2d", .form = shape::layered, .height = 29, .depth = 5, .address = {mode, mode, mode}, .threads = 512});
  }
  add({.kernel = "fetch_lod_1d", .levels = 5, .flags = normalized_coordinates, .last = 10, .threads = 512});
  add({.kernel = "fetch_lod_2d", .height = 29, .levels = 5, .flags = normalized_coordinates, .last = 10, .threads = 512});
  add({.kernel = "fetch_lod_3d", .width = 19, .height = 13, .depth = 11, .levels = 4, .flags = normalized_coordinates, .last = 10, .threads = 512});
  // Offsets.
  for (int mode = 0; mode < 4; ++mode)
    for (unsigned flags : {0U, +normalized_coordinates})
      for (const char* kernel : {"offset_1d", "offset_2d", "offset_gather"})
        add({.kernel = kernel, .height = kernel[7] == '1' ? 0U : 29U, .channels = 2, .linear = mode % 2 == 1, .address = {mode, mode, mode}, .flags = flags});
  add({.kernel = "offset_3d", .width = 19, .height = 13, .depth = 11, .address = {1, 1, 1}});
  add({.kernel = "offset_fetch_2d", .height = 29});
  add({.kernel = "offset_lod_2d", .height = 29, .levels = 5, .between = true, .flags = normalized_coordinates, .last = 10});
  // Views.
  add({.kernel = "tex_2d", .height = 29, .format = unsigned_32, .flags = reads_integers, .holds = content::bits, .view = 0x16, .threads = 256});
  add({.kernel = "tex_2d", .height = 29, .format = unsigned_32, .flags = reads_integers, .holds = content::bits, .view = 0x03, .threads = 256});
  add({.kernel = "tex_2d", .height = 29, .format = float_32, .holds = content::bits, .view = 0x14, .threads = 256});
  add({.kernel = "tex_a2d", .form = shape::layered, .height = 29, .depth = 5, .holds = content::bits, .view = 0x16, .first_layer = 1, .last_layer = 3, .threads = 256});
  // Surfaces.
  for (const char* mode : {"zero", "clamp"})
    for (const char* what : {"read_", "write_"})
      for (auto f : {float_32, unsigned_32}) {
        const auto name = [&](const char* dimension) { return std::string(what) + dimension + "_" + mode; };
        const unsigned threads = *what == 'r' ? 256 : 64;
        if (f == unsigned_32 && *what == 'w') continue;
        add({.kernel = name("1d"), .format = f, .channels = 4, .holds = content::bits, .threads = threads});
        add({.kernel = name("2d"), .height = 29, .format = f, .channels = 4, .holds = content::bits, .threads = threads});
        add({.kernel = name("3d"), .width = 19, .height = 13, .depth = 11, .format = f, .channels = 4, .holds = content::bits, .threads = threads});
        if (*what == 'r') add({.kernel = name("a1d"), .form = shape::layered, .depth = 5, .format = f, .channels = 4, .holds = content::bits, .threads = threads});
        add({.kernel = name("a2d"), .form = shape::layered, .height = 29, .depth = 5, .format = f, .channels = 4, .holds = content::bits, .threads = threads});
      }
  return all;
}

}  // namespace bankwise::textures
