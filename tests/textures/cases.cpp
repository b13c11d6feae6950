// The cases: textures that are read, and surfaces that are read and written.
#include "cases.hpp"

#include <utility>

namespace bankwise::textures {

using enum cuda::array_format;
using cuda::is_seamless, cuda::is_srgb, cuda::normalized_coordinates, cuda::no_trilinear_optimization,
    cuda::reads_integers;

std::vector<texture_case> all_cases() {
  std::vector<texture_case> all;
  const cuda::array_format formats[] = {unsigned_8, unsigned_16, unsigned_32, signed_8,
                                        signed_16,  signed_32,   half_float,  float_32};
  const auto integer = [](cuda::array_format f) { return f < half_float; };
  const auto add = [&](texture_case c) { all.push_back(c); };
  struct {
    const char *plain, *level, *gradient;
    unsigned width, height, depth;
  } dims[] = {{"tex_1d", "lod_1d", "grad_1d", 37, 0, 0},
              {"tex_2d", "lod_2d", "grad_2d", 37, 29, 0},
              {"tex_3d", "lod_3d", "grad_3d", 19, 13, 11}};
  // Formats: points as integers and as floats.
  for (auto f : formats) {
    for (unsigned channels : {1U, 2U, 4U}) {
      for (unsigned flags : {0U, +reads_integers}) {
        if (flags && !integer(f)) continue;
        if (!flags && (f == unsigned_32 || f == signed_32)) continue;
        add({.kernel = "tex_2d",
             .height = 29,
             .format = f,
             .channels = channels,
             .address = {3, 3, 3},
             .flags = flags,
             .holds = content::bits,
             .threads = 512});
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
          add({.kernel = d.plain,
               .width = d.width,
               .height = d.height,
               .depth = d.depth,
               .linear = linear != 0,
               .address = {mode, (mode + (flags ? 1 : 0)) % 4, mode},
               .flags = flags,
               .holds = linear ? content::plain : content::bits,
               .threads = 2048});
  // The blend, format by format.
  for (auto& d : dims)
    for (auto f : {unsigned_8, signed_8, unsigned_16, signed_16, half_float, float_32})
      for (unsigned channels : {1U, 2U, 4U})
        for (auto holds : {content::plain, content::single}) {
          if (channels == 2 && holds == content::single) continue;
          if (channels == 4 && holds == content::single && f != unsigned_8) continue;
          add({.kernel = d.plain,
               .width = d.width,
               .height = d.height,
               .depth = d.depth,
               .format = f,
               .channels = channels,
               .linear = true,
               .holds = holds,
               .threads = 2048});
        }
  for (auto& d : dims)
    for (auto f : {half_float, float_32})
      for (auto holds : {content::wide, content::steps, content::bits})
        add({.kernel = d.plain,
             .width = d.width,
             .height = d.height,
             .depth = d.depth,
             .format = f,
             .linear = true,
             .holds = holds,
             .threads = 8192});
  // Sizes: how exact is a coordinate?
  for (unsigned width : {1U, 2U, 3U, 64U, 100U, 1000U, 1024U, 4096U, 16384U, 32768U, 65536U, 131072U})
    for (unsigned flags : {0U, +normalized_coordinates})
      for (int linear = 0; linear < 2; ++linear)
        for (int mode = flags ? 0 : 1; mode < 3; ++mode)
          add({.kernel = "tex_1d",
               .width = width,
               .linear = linear != 0,
               .address = {mode, 1, 1},
               .flags = flags,
               .holds = linear ? content::steps : content::bits,
               .threads = 1024});
  for (unsigned flags : {0U, +normalized_coordinates})
    add({.kernel = "tex_2d",
         .width = 1000,
         .height = 333,
         .linear = true,
         .address = {1, 1, 1},
         .flags = flags,
         .holds = content::steps,
         .threads = 8192});
  // Layers and cubes.
  for (int linear = 0; linear < 2; ++linear) {
    for (unsigned flags : {0U, +normalized_coordinates}) {
      add({.kernel = "tex_a1d", .form = shape::layered, .depth = 5, .linear = linear != 0, .flags = flags});
      add({.kernel = "tex_a2d",
           .form = shape::layered,
           .height = 29,
           .depth = 5,
           .linear = linear != 0,
           .flags = flags});
      add({.kernel = "tex_a2d",
           .form = shape::layered,
           .height = 29,
           .depth = 5,
           .linear = linear != 0,
           .address = {3, 3, 3},
           .flags = flags});
    }
    for (unsigned flags : {+normalized_coordinates, normalized_coordinates | is_seamless, 0U})
      for (int mode : {0, 1, 3}) {
        add({.kernel = "tex_cube",
             .form = shape::cube,
             .width = 16,
             .height = 16,
             .depth = 6,
             .linear = linear != 0,
             .address = {mode, mode, mode},
             .flags = flags,
             .holds = content::plain,
             .threads = 4096});
        add({.kernel = "tex_acube",
             .form = shape::layered_cube,
             .width = 7,
             .height = 7,
             .depth = 18,
             .linear = linear != 0,
             .address = {mode, mode, mode},
             .flags = flags,
             .holds = content::plain,
             .threads = 2048});
      }
  }
  add({.kernel = "tex_cube",
       .form = shape::cube,
       .width = 16,
       .height = 16,
       .depth = 6,
       .format = unsigned_8,
       .channels = 4,
       .linear = true,
       .flags = normalized_coordinates | is_seamless,
       .threads = 2048});
  // Levels.
  for (auto& d : dims)
    for (const char* kernel : {d.plain, d.level, d.gradient})
      for (int linear = 0; linear < 2; ++linear)
        for (int between = 0; between < 2; ++between)
          for (unsigned flags : {+normalized_coordinates, normalized_coordinates | no_trilinear_optimization})
            add({.kernel = kernel,
                 .width = d.width,
                 .height = d.height,
                 .depth = d.depth,
                 .levels = d.depth ? 4U : 5U,
                 .linear = linear != 0,
                 .between = between != 0,
                 .address = {linear, 1, 1},
                 .flags = flags,
                 .last = 10,
                 .threads = 2048});
  for (const char* kernel : {"lod_2d", "grad_2d"})
    for (auto holds : {content::steps, content::single})
      add({.kernel = kernel,
           .width = 32,
           .height = 32,
           .levels = 6,
           .linear = true,
           .between = true,
           .flags = normalized_coordinates | no_trilinear_optimization,
           .holds = holds,
           .last = 10,
           .threads = 8192});
  for (auto f : {unsigned_8, half_float, signed_16})
    add({.kernel = "lod_2d",
         .width = 32,
         .height = 32,
         .levels = 6,
         .format = f,
         .channels = 4,
         .linear = true,
         .between = true,
         .flags = normalized_coordinates,
         .last = 10,
         .threads = 4096});
  for (float bias : {0.5F, -1.25F, 0.3F, 20.0F})
    add({.kernel = "lod_2d",
         .width = 32,
         .height = 32,
         .levels = 6,
         .between = true,
         .flags = normalized_coordinates,
         .bias = bias,
         .last = 10});
  for (float first : {0.5F, 1.3F})
    add({.kernel = "lod_2d",
         .width = 32,
         .height = 32,
         .levels = 6,
         .between = true,
         .flags = normalized_coordinates,
         .first = first,
         .last = 2.7F});
  add({.kernel = "lod_2d",
       .width = 32,
       .height = 32,
       .levels = 6,
       .flags = normalized_coordinates,
       .first = 0.5F,
       .last = 2.7F});
  add({.kernel = "tex_2d",
       .width = 32,
       .height = 32,
       .levels = 6,
       .between = true,
       .flags = normalized_coordinates,
       .bias = 1.3F,
       .first = 0.2F,
       .last = 2.7F});
  add({.kernel = "lod_2d",
       .width = 32,
       .height = 32,
       .levels = 6,
       .linear = true,
       .between = true,
       .flags = normalized_coordinates,
       .last = 10,
       .view = 0x16,
       .first_level = 1,
       .last_level = 3});
  add({.kernel = "grad_2d",
       .width = 64,
       .height = 64,
       .levels = 7,
       .linear = true,
       .between = true,
       .flags = normalized_coordinates,
       .last = 10,
       .anisotropy = 16,
       .threads = 4096});
  add({.kernel = "grad_2d",
       .width = 64,
       .height = 64,
       .levels = 7,
       .linear = true,
       .between = true,
       .flags = normalized_coordinates,
       .last = 10,
       .anisotropy = 1,
       .threads = 4096});
  for (const char* kernel : {"lod_a2d", "grad_a2d"})
    add({.kernel = kernel,
         .form = shape::layered,
         .height = 29,
         .depth = 5,
         .levels = 5,
         .linear = true,
         .between = true,
         .flags = normalized_coordinates,
         .last = 10});
  for (const char* kernel : {"lod_a1d", "grad_a1d"})
    add({.kernel = kernel,
         .form = shape::layered,
         .depth = 5,
         .levels = 5,
         .linear = true,
         .between = true,
         .flags = normalized_coordinates,
         .last = 10});
  add({.kernel = "lod_cube",
       .form = shape::cube,
       .width = 16,
       .height = 16,
       .depth = 6,
       .levels = 5,
       .linear = true,
       .between = true,
       .flags = normalized_coordinates | is_seamless,
       .last = 10,
       .threads = 4096});
  add({.kernel = "lod_cube",
       .form = shape::cube,
       .width = 16,
       .height = 16,
       .depth = 6,
       .levels = 5,
       .linear = true,
       .between = true,
       .flags = normalized_coordinates,
       .last = 10,
       .threads = 4096});
  add({.kernel = "lod_acube",
       .form = shape::layered_cube,
       .width = 16,
       .height = 16,
       .depth = 12,
       .levels = 5,
       .flags = normalized_coordinates,
       .last = 10});
  // Four texels at once.
  for (const char* kernel : {"gather_r", "gather_g", "gather_b", "gather_a"})
    for (auto f : {float_32, unsigned_8, signed_16})
      add({.kernel = kernel, .height = 29, .format = f, .channels = 4, .address = {1, 3, 1}, .holds = content::bits});
  for (unsigned flags : {0U, +normalized_coordinates})
    for (int mode = 0; mode < 4; ++mode)
      for (int linear = 0; linear < 2; ++linear)
        add({.kernel = "gather_r",
             .height = 29,
             .linear = linear != 0,
             .address = {mode, mode, 1},
             .flags = flags,
             .threads = 2048});
  // sRGB.
  for (int linear = 0; linear < 2; ++linear) {
    add({.kernel = "tex_1d",
         .width = 256,
         .format = unsigned_8,
         .channels = 4,
         .linear = linear != 0,
         .flags = is_srgb,
         .threads = 4096});
    add({.kernel = "tex_2d",
         .height = 29,
         .format = unsigned_8,
         .channels = 1,
         .linear = linear != 0,
         .flags = is_srgb});
  }
  // Memory as a texture.
  for (auto f : formats)
    for (unsigned channels : {1U, 2U, 4U})
      for (unsigned flags : {0U, +reads_integers}) {
        if (flags && !integer(f)) continue;
        if (!flags && (f == unsigned_32 || f == signed_32)) continue;
        add({.kernel = "fetch_1d",
             .form = shape::linear,
             .width = 100,
             .format = f,
             .channels = channels,
             .flags = flags,
             .holds = content::bits,
             .threads = 256});
      }
  add({.kernel = "tex_1d", .form = shape::linear, .width = 100, .threads = 256});
  for (int linear = 0; linear < 2; ++linear)
    for (unsigned flags : {0U, +normalized_coordinates})
      for (int mode = 0; mode < 4; ++mode)
        add({.kernel = "tex_2d",
             .form = shape::pitch_2d,
             .height = 29,
             .linear = linear != 0,
             .address = {mode, mode, 1},
             .flags = flags});
  // Positions at whole numbers in arrays.
  for (int mode : {1, 3}) {
    add({.kernel = "fetch_1d", .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_2d", .height = 29, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_2d", .form = shape::pitch_2d, .height = 29, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_3d", .width = 19, .height = 13, .depth = 11, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_a1d", .form = shape::layered, .depth = 5, .address = {mode, mode, mode}, .threads = 512});
    add({.kernel = "fetch_a2d",
         .form = shape::layered,
         .height = 29,
         .depth = 5,
         .address = {mode, mode, mode},
         .threads = 512});
  }
  add({.kernel = "fetch_lod_1d", .levels = 5, .flags = normalized_coordinates, .last = 10, .threads = 512});
  add({.kernel = "fetch_lod_2d",
       .height = 29,
       .levels = 5,
       .flags = normalized_coordinates,
       .last = 10,
       .threads = 512});
  add({.kernel = "fetch_lod_3d",
       .width = 19,
       .height = 13,
       .depth = 11,
       .levels = 4,
       .flags = normalized_coordinates,
       .last = 10,
       .threads = 512});
  // Offsets.
  for (int mode = 0; mode < 4; ++mode)
    for (unsigned flags : {0U, +normalized_coordinates})
      for (const char* kernel : {"offset_1d", "offset_2d", "offset_gather"})
        add({.kernel = kernel,
             .height = kernel[7] == '1' ? 0U : 29U,
             .channels = 2,
             .linear = mode % 2 == 1,
             .address = {mode, mode, mode},
             .flags = flags});
  add({.kernel = "offset_3d", .width = 19, .height = 13, .depth = 11, .address = {1, 1, 1}});
  add({.kernel = "offset_fetch_2d", .height = 29});
  add({.kernel = "offset_lod_2d",
       .height = 29,
       .levels = 5,
       .between = true,
       .flags = normalized_coordinates,
       .last = 10});
  // Views.
  add({.kernel = "tex_2d",
       .height = 29,
       .format = unsigned_32,
       .flags = reads_integers,
       .holds = content::bits,
       .view = 0x16,
       .threads = 256});
  add({.kernel = "tex_2d",
       .height = 29,
       .format = unsigned_32,
       .flags = reads_integers,
       .holds = content::bits,
       .view = 0x03,
       .threads = 256});
  add({.kernel = "tex_2d", .height = 29, .format = float_32, .holds = content::bits, .view = 0x14, .threads = 256});
  add({.kernel = "tex_a2d",
       .form = shape::layered,
       .height = 29,
       .depth = 5,
       .holds = content::bits,
       .view = 0x16,
       .first_layer = 1,
       .last_layer = 3,
       .threads = 256});
  // Surfaces.
  for (const char* mode : {"zero", "clamp"})
    for (const char* what : {"read_", "write_"})
      for (auto f : {float_32, unsigned_32}) {
        const auto name = [&](const char* dimension) { return std::string(what) + dimension + "_" + mode; };
        const unsigned threads = *what == 'r' ? 256 : 64;
        if (f == unsigned_32 && *what == 'w') continue;
        add({.kernel = name("1d"), .format = f, .channels = 4, .holds = content::bits, .threads = threads});
        add({.kernel = name("2d"),
             .height = 29,
             .format = f,
             .channels = 4,
             .holds = content::bits,
             .threads = threads});
        add({.kernel = name("3d"),
             .width = 19,
             .height = 13,
             .depth = 11,
             .format = f,
             .channels = 4,
             .holds = content::bits,
             .threads = threads});
        if (*what == 'r')
          add({.kernel = name("a1d"),
               .form = shape::layered,
               .depth = 5,
               .format = f,
               .channels = 4,
               .holds = content::bits,
               .threads = threads});
        add({.kernel = name("a2d"),
             .form = shape::layered,
             .height = 29,
             .depth = 5,
             .format = f,
             .channels = 4,
             .holds = content::bits,
             .threads = threads});
      }
  // Single questions. Which weights do the corners have?
  const unsigned on = normalized_coordinates | no_trilinear_optimization;
  for (unsigned part : {0U, 1U})
    add({.kernel = "tex_3d",
         .width = 4,
         .height = 4,
         .depth = 4,
         .channels = 4,
         .linear = true,
         .address = {0, 0, 0},
         .flags = on,
         .holds = content::corners,
         .threads = 32768,
         .at = places::inside,
         .part = part});
  add({.kernel = "tex_2d",
       .width = 4,
       .height = 4,
       .channels = 4,
       .linear = true,
       .address = {0, 0, 0},
       .flags = on,
       .holds = content::corners,
       .threads = 8192,
       .at = places::inside});
  struct {
    const char* kernel;
    unsigned height, depth;
  } of_levels[] = {{"lod_1d", 0, 0}, {"lod_2d", 4, 0}, {"lod_3d", 4, 4}};
  for (auto& l : of_levels)
    for (unsigned part : {0U, 1U, 2U, 3U}) {
      if (l.depth == 0 && part % 2 == 1) continue;
      add({.kernel = l.kernel,
           .width = 4,
           .height = l.height,
           .depth = l.depth,
           .levels = 2,
           .channels = 4,
           .linear = true,
           .between = true,
           .address = {0, 0, 0},
           .flags = on,
           .holds = content::corners,
           .last = 10,
           .threads = 32768,
           .at = places::inside,
           .part = part});
    }
  for (unsigned part : {0U, 2U})
    add({.kernel = "lod_2d",
         .width = 4,
         .height = 4,
         .levels = 2,
         .channels = 4,
         .linear = true,
         .between = true,
         .address = {0, 0, 0},
         .flags = normalized_coordinates,
         .holds = content::corners,
         .last = 10,
         .threads = 8192,
         .at = places::inside,
         .part = part});
  // Which level? The texels contain the number of their level.
  for (const char* kernel : {"lod_2d", "grad_2d"})
    for (int between : {0, 1})
      for (unsigned flags : {+normalized_coordinates, on})
        for (float bias : {0.0F, 0.3F, -1.7F})
          for (auto [first, last] : {std::pair{0.0F, 20.0F}, std::pair{1.3F, 4.77F}}) {
            if ((bias != 0 || first != 0) && flags == on) continue;
            add({.kernel = kernel,
                 .width = 256,
                 .height = 256,
                 .levels = 9,
                 .linear = true,
                 .between = between != 0,
                 .flags = flags,
                 .holds = content::levels,
                 .bias = bias,
                 .first = first,
                 .last = last,
                 .threads = bias == 0 && first == 0 ? 8192U : 1024U,
                 .at = places::inside});
          }
  for (const char* kernel : {"grad_1d", "grad_2d", "grad_3d", "lod_1d", "lod_3d"})
    for (bool linear : {false, true})
      add({.kernel = kernel,
           .width = 64,
           .height = has({.kernel = kernel}, "1d") ? 0U : 24U,
           .depth = has({.kernel = kernel}, "3d") ? 13U : 0U,
           .levels = 7,
           .linear = linear,
           .between = true,
           .flags = on,
           .holds = content::levels,
           .last = 20,
           .threads = 4096,
           .at = places::inside});
  add({.kernel = "tex_2d",
       .width = 256,
       .height = 256,
       .levels = 9,
       .between = true,
       .flags = on,
       .holds = content::levels,
       .bias = 1.3F,
       .first = 0.7F,
       .last = 4.77F,
       .threads = 64,
       .at = places::inside});
  // Anisotropy: the level, the middle, and the texels with their weights.
  for (unsigned most : {1U, 2U, 3U, 4U, 8U, 16U}) {
    add({.kernel = "grad_2d",
         .width = 256,
         .height = 256,
         .levels = 9,
         .linear = true,
         .between = true,
         .flags = on,
         .holds = content::levels,
         .last = 20,
         .anisotropy = most,
         .threads = 8192,
         .at = places::inside});
    if (most == 3) continue;
    add({.kernel = "grad_2d",
         .width = 256,
         .height = 256,
         .levels = 9,
         .channels = 4,
         .linear = true,
         .between = true,
         .flags = on,
         .holds = content::ramp,
         .last = 20,
         .anisotropy = most,
         .threads = 4096,
         .at = places::inside});
    add({.kernel = "grad_2d",
         .width = 32,
         .height = 32,
         .levels = 4,
         .channels = 4,
         .linear = true,
         .between = true,
         .address = {0, 0, 0},
         .flags = on,
         .holds = content::impulse,
         .last = 20,
         .anisotropy = most,
         .threads = 1024U * (most == 16 ? 96 : 32),
         .at = places::shifts});
    add({.kernel = "grad_2d",
         .width = 32,
         .height = 32,
         .levels = 1,
         .channels = 4,
         .linear = true,
         .address = {0, 0, 0},
         .flags = on,
         .holds = content::impulse,
         .last = 20,
         .anisotropy = most,
         .threads = 1024 * 16,
         .at = places::shifts});
  }
  add({.kernel = "grad_2d",
       .width = 32,
       .height = 32,
       .levels = 4,
       .channels = 4,
       .address = {0, 0, 0},
       .flags = on,
       .holds = content::impulse,
       .last = 20,
       .anisotropy = 16,
       .threads = 1024 * 16,
       .at = places::shifts});
  // Cubes: the face and the position on it, then the texels with their weights at edges and corners.
  for (unsigned flags : {+normalized_coordinates, normalized_coordinates | is_seamless})
    for (bool linear : {false, true})
      add({.kernel = "tex_cube",
           .form = shape::cube,
           .width = 128,
           .height = 128,
           .depth = 6,
           .channels = 4,
           .linear = linear,
           .flags = flags,
           .holds = content::ramp,
           .threads = 16384,
           .at = places::edges});
  for (unsigned size : {1U, 2U, 3U})
    for (unsigned part = 0; part * 4 < 6 * size * size; ++part)
      add({.kernel = "tex_cube",
           .form = shape::cube,
           .width = size,
           .height = size,
           .depth = 6,
           .channels = 4,
           .linear = true,
           .flags = normalized_coordinates | is_seamless,
           .holds = content::each,
           .threads = size == 2 ? 8192U : 2048U,
           .at = places::edges,
           .part = part});
  add({.kernel = "lod_cube",
       .form = shape::cube,
       .width = 64,
       .height = 64,
       .depth = 6,
       .levels = 7,
       .linear = true,
       .between = true,
       .flags = on,
       .holds = content::levels,
       .last = 20,
       .threads = 2048,
       .at = places::edges});
  // sRGB, one value after another.
  for (unsigned channels : {1U, 2U, 4U})
    add({.kernel = "tex_2d",
         .width = 64,
         .height = 4,
         .format = unsigned_8,
         .channels = channels,
         .flags = is_srgb,
         .holds = content::counting,
         .threads = 256,
         .at = places::centres});
  for (auto f : {signed_8, unsigned_16, half_float, float_32})
    add({.kernel = "tex_2d",
         .width = 64,
         .height = 4,
         .format = f,
         .channels = 4,
         .flags = is_srgb,
         .holds = content::bits,
         .threads = 256,
         .at = places::centres});
  add({.kernel = "tex_2d",
       .width = 16,
       .height = 16,
       .format = unsigned_8,
       .channels = 4,
       .linear = true,
       .flags = is_srgb,
       .threads = 8192,
       .at = places::inside});
  add({.kernel = "tex_3d",
       .width = 8,
       .height = 8,
       .depth = 8,
       .format = unsigned_8,
       .channels = 4,
       .linear = true,
       .flags = is_srgb,
       .threads = 4096,
       .at = places::inside});
  // Borders in every format.
  for (auto f : formats)
    for (unsigned border : {0U, 1U, 2U})
      for (unsigned flags : {0U, +reads_integers})
        for (bool linear : {false, true}) {
          if ((flags && !integer(f)) || (linear && (flags || f == unsigned_32 || f == signed_32))) continue;
          if (!flags && (f == unsigned_32 || f == signed_32)) continue;
          for (unsigned srgb : {0U, +is_srgb}) {
            if (srgb && f != unsigned_8) continue;
            add({.kernel = "tex_2d",
                 .height = 29,
                 .format = f,
                 .channels = 4,
                 .linear = linear,
                 .address = {3, 3, 3},
                 .flags = flags | srgb,
                 .threads = linear ? 512U : 64U,
                 .border = border});
          }
        }
  // Formats between levels, in three dimensions and on cubes.
  for (auto f : {unsigned_8, signed_8, unsigned_16, signed_16, half_float, float_32})
    for (auto holds : {content::plain, content::single, content::wide}) {
      if (holds == content::wide && f < half_float) continue;
      add({.kernel = "lod_1d",
           .width = 32,
           .levels = 6,
           .format = f,
           .channels = 4,
           .between = true,
           .flags = on,
           .holds = holds,
           .last = 10,
           .threads = 2048,
           .at = places::inside});
      add({.kernel = "lod_2d",
           .width = 32,
           .height = 32,
           .levels = 6,
           .format = f,
           .channels = 4,
           .linear = true,
           .between = true,
           .flags = on,
           .holds = holds,
           .last = 10,
           .threads = 4096,
           .at = places::inside});
      add({.kernel = "lod_3d",
           .width = 8,
           .height = 8,
           .depth = 8,
           .levels = 4,
           .format = f,
           .channels = 4,
           .linear = true,
           .between = true,
           .flags = on,
           .holds = holds,
           .last = 10,
           .threads = 4096,
           .at = places::inside});
      add({.kernel = "tex_cube",
           .form = shape::cube,
           .width = 4,
           .height = 4,
           .depth = 6,
           .format = f,
           .channels = 4,
           .linear = true,
           .flags = normalized_coordinates | is_seamless,
           .holds = holds,
           .threads = 4096,
           .at = places::edges});
      add({.kernel = "grad_2d",
           .width = 64,
           .height = 64,
           .levels = 7,
           .format = f,
           .channels = 4,
           .linear = true,
           .between = true,
           .flags = on,
           .holds = holds,
           .last = 10,
           .anisotropy = 8,
           .threads = 2048,
           .at = places::inside});
    }
  // Writes that convert, reductions, widths; sizes.
  for (auto f : formats)
    for (unsigned channels : {1U, 2U, 4U})
      add({.kernel = "format_2d",
           .width = 16,
           .height = 16,
           .format = f,
           .channels = channels,
           .holds = content::bits,
           .threads = 256,
           .at = places::centres});
  add({.kernel = "format_2d", .width = 16, .height = 16, .holds = content::bits, .threads = 64});
  for (const char* kernel : {"reduce_add_u32", "reduce_min_u32", "reduce_max_s32", "reduce_min_s32", "reduce_or_b32",
                             "reduce_and_b32", "reduce_add_u64"})
    add({.kernel = kernel,
         .width = 37,
         .height = 29,
         .format = unsigned_32,
         .channels = 2,
         .holds = content::bits,
         .threads = 128});
  for (const char* kernel : {"reduce_format_add", "reduce_format_max"})
    for (auto f : {unsigned_32, signed_32})
      add({.kernel = kernel,
           .width = 37,
           .height = 29,
           .format = f,
           .channels = 1,
           .holds = content::bits,
           .threads = 128});
  for (const char* kernel :
       {"read_b8", "read_b16", "read_b32", "read_b64", "write_b8", "write_b16", "write_b32", "write_b64"})
    add({.kernel = kernel, .height = 29, .format = unsigned_16, .channels = 4, .holds = content::bits, .threads = 128});
  for (const char* kernel : {"query", "query_level"}) {
    add({.kernel = kernel, .threads = 32});
    add({.kernel = kernel, .height = 29, .threads = 32});
    add({.kernel = kernel, .width = 19, .height = 13, .depth = 11, .threads = 32});
    add({.kernel = kernel, .form = shape::layered, .height = 29, .depth = 5, .threads = 32});
    add({.kernel = kernel, .form = shape::cube, .width = 16, .height = 16, .depth = 6, .threads = 32});
    add({.kernel = kernel, .form = shape::layered_cube, .width = 16, .height = 16, .depth = 12, .threads = 32});
    add({.kernel = kernel, .form = shape::pitch_2d, .height = 29, .threads = 32});
    add({.kernel = kernel, .form = shape::linear, .width = 100, .threads = 32});
    add({.kernel = kernel, .height = 29, .levels = 5, .flags = normalized_coordinates, .last = 10, .threads = 32});
    add({.kernel = kernel,
         .height = 29,
         .levels = 5,
         .flags = normalized_coordinates,
         .first = 1.5F,
         .last = 2.5F,
         .view = 0x16,
         .first_level = 1,
         .last_level = 3,
         .threads = 32});
  }
  add({.kernel = "query_surface", .height = 29, .threads = 32});
  add({.kernel = "query_surface", .width = 19, .height = 13, .depth = 11, .channels = 4, .threads = 32});
  add({.kernel = "query_surface", .form = shape::layered, .height = 29, .depth = 5, .threads = 32});
  // Anisotropy again, in cases that were not used to build the model: layers, biases, other sizes, formats, limits and
  // modes.
  const auto stretched = [&](texture_case c) {
    c.levels = std::max(c.levels, 5U), c.linear = true, c.between = true,
    c.flags |= c.flags == 0 ? on : +normalized_coordinates;
    c.last = 20, c.at = places::inside;
    if (c.anisotropy == 0) c.anisotropy = 16;
    add(c);
  };
  for (auto holds : {content::plain, content::levels, content::ramp})
    stretched({.kernel = "grad_a2d",
               .form = shape::layered,
               .width = 64,
               .height = 64,
               .depth = 5,
               .levels = 7,
               .channels = 4,
               .holds = holds});
  stretched({.kernel = "grad_a2d", .form = shape::layered, .height = 29, .depth = 5});
  for (float bias : {1.3F, -1.3F, 0.25F, -4.0F})
    for (auto holds : {content::levels, content::ramp})
      for (unsigned most : {1U, 4U, 16U})
        stretched({.kernel = "grad_2d",
                   .width = 64,
                   .height = 64,
                   .levels = 7,
                   .channels = 4,
                   .holds = holds,
                   .bias = bias,
                   .anisotropy = most});
  for (auto f : {unsigned_8, signed_16, half_float, float_32})
    stretched({.kernel = "grad_2d", .width = 64, .height = 64, .levels = 7, .format = f, .channels = 4});
  stretched({.kernel = "grad_2d",
             .width = 64,
             .height = 64,
             .levels = 7,
             .format = unsigned_8,
             .channels = 4,
             .flags = is_srgb});
  for (unsigned most : {5U, 6U, 7U, 9U, 12U, 15U})
    stretched({.kernel = "grad_2d",
               .width = 64,
               .height = 64,
               .levels = 7,
               .channels = 4,
               .holds = content::ramp,
               .anisotropy = most});
  for (int mode : {0, 2, 3})
    stretched({.kernel = "grad_2d", .width = 64, .height = 64, .levels = 7, .address = {mode, mode, mode}});
  for (auto holds : {content::levels, content::ramp})
    stretched({.kernel = "grad_2d", .width = 200, .height = 100, .levels = 8, .channels = 4, .holds = holds});
  stretched({.kernel = "grad_2d",
             .width = 64,
             .height = 64,
             .levels = 7,
             .holds = content::levels,
             .first = 1.5F,
             .anisotropy = 8});
  stretched({.kernel = "grad_2d", .width = 64, .height = 64, .levels = 7, .flags = normalized_coordinates});
  for (const char* kernel : {"grad_1d", "grad_a1d"})
    for (auto holds : {content::plain, content::levels})
      stretched({.kernel = kernel,
                 .form = has({.kernel = kernel}, "a1d") ? shape::layered : shape::array,
                 .width = 64,
                 .depth = has({.kernel = kernel}, "a1d") ? 5U : 0U,
                 .levels = 7,
                 .holds = holds});
  stretched({.kernel = "lod_2d", .width = 64, .height = 64, .levels = 7});
  stretched({.kernel = "tex_2d", .width = 64, .height = 64, .levels = 7});
  stretched({.kernel = "lod_3d", .width = 16, .height = 16, .depth = 16});
  stretched({.kernel = "tex_cube", .form = shape::cube, .width = 16, .height = 16, .depth = 6});
  // Undocumented uses that drivers accept: levels without normalized coordinates.
  for (const char* kernel : {"lod_2d", "tex_2d", "grad_2d"})
    for (bool linear : {false, true})
      for (bool between : {false, true})
        add({.kernel = kernel,
             .width = 64,
             .height = 32,
             .levels = 6,
             .linear = linear,
             .between = between,
             .holds = content::ramp,
             .last = 10,
             .at = places::inside});
  add({.kernel = "lod_2d",
       .width = 64,
       .height = 32,
       .levels = 6,
       .linear = true,
       .between = true,
       .holds = content::levels,
       .bias = 1.5F,
       .last = 10,
       .at = places::inside});
  add({.kernel = "fetch_lod_2d", .width = 64, .height = 32, .levels = 6, .last = 10});
  for (unsigned most : {1U, 4U, 16U})
    add({.kernel = "grad_2d",
         .width = 64,
         .height = 64,
         .levels = 1,
         .channels = 4,
         .linear = true,
         .flags = on,
         .holds = content::ramp,
         .bias = 1.3F,
         .anisotropy = most,
         .at = places::inside});
  // The positions and weights of probes: with a bias, and with limits that are not powers of two.
  for (float bias : {0.5F, 1.0F, -0.75F})
    for (unsigned most : {4U, 16U})
      add({.kernel = "grad_2d",
           .width = 32,
           .height = 32,
           .levels = 4,
           .channels = 4,
           .linear = true,
           .between = true,
           .address = {0, 0, 0},
           .flags = on,
           .holds = content::impulse,
           .bias = bias,
           .last = 20,
           .anisotropy = most,
           .threads = 1024U * 16,
           .at = places::shifts});
  for (unsigned most : {6U, 10U, 12U})
    add({.kernel = "grad_2d",
         .width = 32,
         .height = 32,
         .levels = 4,
         .channels = 4,
         .linear = true,
         .between = true,
         .address = {0, 0, 0},
         .flags = on,
         .holds = content::impulse,
         .last = 20,
         .anisotropy = most,
         .threads = 1024U * 16,
         .at = places::shifts});
  return all;
}

}  // namespace bankwise::textures
