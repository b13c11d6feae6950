// The descriptors that are passed to the driver.
#include "descriptors.hpp"

#include <limits>

#include "descriptor_table.hpp"

namespace bankwise::textures {

namespace {

void add_arrays(table& t) {
  const auto array = [&](std::size_t w, std::size_t h, std::size_t d, unsigned flags = 0, array_format f = unsigned_8,
                         unsigned channels = 1) {
    t.array(std::to_string(w) + "x" + std::to_string(h) + "x" + std::to_string(d) + " flags " + std::to_string(flags) +
                " format " + std::to_string(f) + " channels " + std::to_string(channels),
            {w, h, d, f, channels, flags});
  };
  array(0, 0, 0), array(0, 4, 0), array(4, 0, 0), array(4, 0, 4), array(4, 4, 4);
  array(131072, 0, 0), array(131073, 0, 0), array(131072, 2, 0), array(131073, 2, 0), array(2, 65536, 0),
      array(2, 65537, 0), array(2, 131072, 0);
  array(16384, 2, 2), array(16385, 2, 2), array(2, 16384, 2), array(2, 16385, 2), array(2, 2, 16384),
      array(2, 2, 16385), array(2, 2, 32768), array(8193, 2, 16385), array(2, 2, 32769);
  for (unsigned channels : {0U, 3U, 5U, 8U}) array(4, 4, 0, 0, float_32, channels);
  for (unsigned f : {0U, 4U, 7U, 11U, 17U, 33U, 64U, 0xb0U, 0xc0U}) array(8, 8, 0, 0, static_cast<array_format>(f));
  for (unsigned flags : {0x10U, 0x20U, 0x40U, 0x80U, 0x100U, 0x200U, 0x10000U}) array(8, 8, 0, flags);
  array(8, 8, 0, is_layered), array(8, 0, 0, is_layered), array(8, 0, 3, is_layered), array(8, 8, 2048, is_layered),
      array(8, 8, 2049, is_layered), array(32768, 0, 2, is_layered), array(32769, 0, 2, is_layered),
      array(2, 32769, 2, is_layered);
  array(8, 8, 6, is_cubemap), array(8, 4, 6, is_cubemap), array(8, 8, 5, is_cubemap), array(8, 8, 12, is_cubemap),
      array(8, 8, 0, is_cubemap), array(8, 0, 6, is_cubemap), array(32769, 32769, 6, is_cubemap);
  array(8, 8, 12, is_cubemap | is_layered), array(8, 8, 13, is_cubemap | is_layered),
      array(8, 8, 2046, is_cubemap | is_layered), array(8, 8, 2052, is_cubemap | is_layered);
  array(8, 8, 0, has_gather), array(8, 0, 0, has_gather), array(8, 8, 4, has_gather),
      array(8, 8, 4, has_gather | is_layered), array(8, 8, 6, has_gather | is_cubemap), array(32769, 2, 0, has_gather),
      array(2, 32769, 0, has_gather), array(8, 8, 0, has_gather | has_surfaces);
  array(8, 8, 0, has_surfaces), array(8, 8, 6, has_surfaces | is_cubemap), array(8, 8, 4, has_surfaces | is_layered);
  t.other("array, where to put it is null", [] { return std::to_string(cuArray3DCreate_v2(nullptr, &flat)); });
  t.other("array, no descriptor", [] {
    cuda::array* made = nullptr;
    return std::to_string(cuArray3DCreate_v2(&made, nullptr));
  });
  for (unsigned count : {0U, 1U, 3U, 6U, 7U, 100U}) t.levels("37x29 of " + std::to_string(count), flat, count);
  t.levels("1x1 of 3", {1, 1, 0, float_32, 1, 0}, 3);
  t.levels("37 of 9", {37, 0, 0, float_32, 1, 0}, 9);
  t.levels("5x3x20 of 9", {5, 3, 20, float_32, 1, 0}, 9);
  t.levels("8x8x20 in layers of 9", {8, 8, 20, float_32, 1, is_layered}, 9);
  t.levels("8x8x6 cube of 4", {8, 8, 6, float_32, 1, is_cubemap}, 4);
  t.levels("0 wide", {0, 8, 0, float_32, 1, 0}, 2);
  t.levels("32769 wide", {32769, 2, 0, float_32, 1, 0}, 2);
  t.levels("32768 wide", {32768, 2, 0, float_32, 1, 0}, 2);
  t.levels("131072 wide, a row", {131072, 0, 0, unsigned_8, 1, 0}, 2);
  t.levels("with gathers", {8, 8, 0, float_32, 1, has_gather}, 2);
}

void add_resources(table& t) {
  const auto nothing = [](setup&) {};
  for (kind what : kinds) t.texture(std::string(name_of(what)), what, flat, nothing);
  for (int n : {-1, 4, 100})
    t.texture("resource of kind " + std::to_string(n), kind::array, flat,
              [n](setup& s) { s.from.kind = static_cast<resource_kind>(n); });
  for (kind what : kinds) {
    const std::string name = name_of(what);
    t.texture(name + ", null", what, flat, [](setup& s) { s.from.array = nullptr; });
    for (unsigned flags : {1U, 0x80000000U})
      t.texture(name + ", resource's flags " + std::to_string(flags), what, flat,
                [flags](setup& s) { s.from.flags = flags; });
  }
  t.texture("a mipmapped one called array", kind::levels, flat, [](setup& s) { s.from.kind = array_resource; });
  // Memory.
  const auto linear = [&](const std::string& name, auto differ) {
    t.texture("linear, " + name, kind::linear, flat, [differ](setup& s) { differ(s.from.linear); });
  };
  for (unsigned by : {1U, 2U, 4U, 16U, 32U, 128U, 256U, 512U})
    linear("moved by " + std::to_string(by), [by](auto& l) { l.at += by; });
  for (unsigned bytes : {0U, 1U, 3U, 4U, 5U, 4095U, 65536U, 65540U, 131072U, 4194304U})
    linear(std::to_string(bytes) + " bytes", [bytes](auto& l) { l.bytes = bytes; });
  for (std::size_t bytes :
       {std::size_t{1} << 28, std::size_t{1} << 29, (std::size_t{1} << 29) + 4, std::size_t{1} << 30,
        (std::size_t{1} << 30) + 4, std::size_t{1} << 31, (std::size_t{1} << 32) - 4, std::size_t{1} << 32,
        (std::size_t{1} << 34) - 4, std::size_t{1} << 34, std::size_t{1} << 40}) {
    linear(std::to_string(bytes) + " bytes", [bytes](auto& l) { l.bytes = bytes; });
    linear(std::to_string(bytes) + " bytes of bytes", [bytes](auto& l) { l.bytes = bytes, l.format = unsigned_8; });
  }
  for (unsigned n : {0U, 2U, 3U, 4U, 5U}) linear(std::to_string(n) + " channels", [n](auto& l) { l.channels = n; });
  for (unsigned f : {0U, 4U, 11U, 17U, 33U, 64U})
    linear("format " + std::to_string(f), [f](auto& l) { l.format = static_cast<array_format>(f); });
  linear("an address of nothing", [](auto& l) { l.at = 0x7fff00000000; });
  linear("a small address", [](auto& l) { l.at = 512; });
  const auto pitch = [&](const std::string& name, auto differ) {
    t.texture("pitch 2D, " + name, kind::pitch_2d, flat, [differ](setup& s) { differ(s.from.pitch_2d); });
  };
  for (unsigned by : {1U, 4U, 16U, 32U, 128U, 256U, 512U})
    pitch("moved by " + std::to_string(by), [by](auto& p) { p.at += by; });
  for (unsigned bytes : {0U, 4U, 16U, 32U, 64U, 128U, 144U, 148U, 152U, 160U, 1028U, 1040U, 1056U})
    pitch("pitch " + std::to_string(bytes), [bytes](auto& p) { p.pitch = bytes; });
  pitch("a row of 64 and a pitch of 4096", [](auto& p) { p.height = 1, p.pitch = 4096; });
  pitch("pitch 2097120", [](auto& p) { p.height = 1, p.pitch = 2097120; });
  pitch("pitch 2097152", [](auto& p) { p.height = 1, p.pitch = 2097152; });
  pitch("pitch 4194304", [](auto& p) { p.height = 1, p.pitch = 4194304; });
  for (unsigned n : {0U, 1U, 256U, 257U, 131072U, 131073U})
    pitch("width " + std::to_string(n), [n](auto& p) { p.width = n; });
  pitch("131072 bytes across",
        [](auto& p) { p.format = unsigned_8, p.width = 131072, p.pitch = 131072, p.height = 1; });
  pitch("131104 bytes across",
        [](auto& p) { p.format = unsigned_8, p.width = 131104, p.pitch = 131104, p.height = 1; });
  for (unsigned n : {0U, 1U, 64U, 65U, 128U, 65000U, 65001U, 65536U, 131072U})
    pitch("height " + std::to_string(n), [n](auto& p) { p.height = n; });
  for (unsigned n : {0U, 2U, 3U, 4U, 5U}) pitch(std::to_string(n) + " channels", [n](auto& p) { p.channels = n; });
  for (unsigned f : {0U, 4U, 17U, 64U})
    pitch("format " + std::to_string(f), [f](auto& p) { p.format = static_cast<array_format>(f); });
}

void add_modes(table& t) {
  for (kind what : kinds) {
    const std::string name = std::string(name_of(what)) + ", ";
    const auto add = [&](const std::string& mode, const array_3d_descriptor& like, auto differ) {
      t.texture(name + mode, what, like, [differ](setup& s) { differ(s.how); });
    };
    for (int mode : {-1, 0, 2, 3, 4, 100})
      for (int axis : {0, 1, 2})
        for (bool normalized : {false, true}) {
          if (axis != 0 && (mode == 0 || mode == 2 || mode == 3)) continue;
          add("address mode " + std::to_string(mode) + " of axis " + std::to_string(axis) +
                  (normalized ? ", normalized" : ""),
              flat, [=](auto& h) {
                h.address_mode[axis] = mode;
                if (normalized) h.flags |= normalized_coordinates;
              });
        }
    for (int mode : {-1, 1, 2}) {
      add("filter " + std::to_string(mode), flat, [=](auto& h) { h.is_linear = mode; });
      add("between levels " + std::to_string(mode), flat,
          [=](auto& h) { h.between_levels_linear = mode, h.flags |= normalized_coordinates; });
      add("between levels " + std::to_string(mode) + ", not normalized", flat,
          [=](auto& h) { h.between_levels_linear = mode; });
    }
    for (unsigned flags : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 66U, 80U, 128U, 256U, 0x10000U, 0x80000000U})
      add("flags " + std::to_string(flags), flat, [=](auto& h) { h.flags = flags; });
    for (unsigned n : {0U, 1U, 3U, 16U, 17U, 1000U})
      add("anisotropy " + std::to_string(n), flat,
          [=](auto& h) { h.most_anisotropy = n, h.is_linear = 1, h.flags = normalized_coordinates; });
    add("anisotropy 8, points", flat, [](auto& h) { h.most_anisotropy = 8; });
    for (float bias :
         {16.0F, 100.0F, -100.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      add("bias " + std::to_string(bias), flat,
          [=](auto& h) { h.level_bias = bias, h.flags = normalized_coordinates; });
    add("levels 3 to 1", flat, [](auto& h) { h.first_level = 3, h.last_level = 1, h.flags = normalized_coordinates; });
    add("levels -1 to -0.5", flat,
        [](auto& h) { h.first_level = -1, h.last_level = -0.5F, h.flags = normalized_coordinates; });
    add("levels 50 to 1000", flat,
        [](auto& h) { h.first_level = 50, h.last_level = 1000, h.flags = normalized_coordinates; });
    add("levels NaN", flat, [](auto& h) {
      h.first_level = h.last_level = std::numeric_limits<float>::quiet_NaN(), h.flags = normalized_coordinates;
    });
    add("a reserved word", flat, [](auto& h) { h.reserved[0] = 1; });
    add("the last reserved word", flat, [](auto& h) { h.reserved[11] = 1; });
    for (array_format f : {unsigned_8, unsigned_16, unsigned_32, signed_8, signed_32, half_float, float_32})
      for (unsigned flags : {0U, +reads_integers, +is_srgb})
        for (int linear : {0, 1}) {
          if (linear == 0 && flags != is_srgb) continue;
          add("format " + std::to_string(f) + " flags " + std::to_string(flags) + (linear ? " linear" : ""), of(f, 4),
              [=](auto& h) { h.flags = flags, h.is_linear = linear; });
        }
    for (unsigned channels : {1U, 2U})
      add("sRGB of " + std::to_string(channels) + " channels", of(unsigned_8, channels),
          [](auto& h) { h.flags = is_srgb; });
  }
  for (int mode : {0, 1, 3})
    t.texture("cube, seamless, address mode " + std::to_string(mode), kind::array, {8, 8, 6, float_32, 1, is_cubemap},
              [mode](setup& s) {
                for (int& m : s.how.address_mode) m = mode;
                s.how.flags = is_seamless | normalized_coordinates;
              });
  const std::pair<const char*, array_3d_descriptor> shapes[] = {
      {"row", {37, 0, 0, float_32, 1, 0}},
      {"volume", {8, 8, 8, float_32, 1, 0}},
      {"layers of rows", {37, 0, 5, float_32, 1, is_layered}},
      {"layers", {37, 29, 5, float_32, 1, is_layered}},
      {"cube", {8, 8, 6, float_32, 1, is_cubemap}},
      {"cubes", {8, 8, 12, float_32, 1, is_cubemap | is_layered}},
  };
  for (const auto& [name, like] : shapes) {
    for (int axis : {0, 1, 2})
      t.texture(std::string(name) + ", address mode -1 of axis " + std::to_string(axis), kind::array, like,
                [axis](setup& s) { s.how.address_mode[axis] = -1; });
    t.texture(std::string(name) + ", seamless", kind::array, like, [](setup& s) { s.how.flags = is_seamless; });
  }
  t.texture("cube, not normalized", kind::array, {8, 8, 6, float_32, 1, is_cubemap}, [](setup&) {});
}

void add_views(table& t) {
  const auto view = [&](const std::string& name, kind what, const array_3d_descriptor& like, auto differ) {
    t.texture("view of " + std::string(name_of(what)) + ", " + name, what, like, [=](setup& s) {
      s.has_view = true;
      s.how.flags = normalized_coordinates;
      s.view.format = 0x16;
      s.view.width = like.width, s.view.height = like.height, s.view.depth = like.depth;
      differ(s.view);
    });
  };
  for (kind what : kinds) {
    view("the same", what, flat, [](auto&) {});
    view("no format", what, flat, [](auto& v) { v.format = 0; });
    view("nothing at all", what, flat, [](auto& v) { v = {}; });
    for (int f : {-1, 3, 7, 9, 0xd, 0x10, 0x15, 0x17, 0x18, 0x19, 0x22, 0x23, 0x100})
      view("format " + std::to_string(f), what, flat, [=](auto& v) { v.format = f; });
    view("half as wide", what, flat, [](auto& v) { v.width = 18; });
    view("twice as wide", what, flat, [](auto& v) { v.width = 74; });
    view("0 wide", what, flat, [](auto& v) { v.width = 0; });
    view("0 high", what, flat, [](auto& v) { v.height = 0; });
    view("1 deep", what, flat, [](auto& v) { v.depth = 1; });
    view("2 deep", what, flat, [](auto& v) { v.depth = 2; });
    view("first level 1", what, flat, [](auto& v) { v.first_level = 1; });
    view("levels 0 to 3", what, flat, [](auto& v) { v.last_level = 3; });
    view("levels 0 to 4", what, flat, [](auto& v) { v.last_level = 4; });
    for (unsigned last : {5U, 6U, 7U, 15U, 16U, 100U})
      view("levels 0 to " + std::to_string(last), what, flat, [last](auto& v) { v.last_level = last; });
    view("levels 3 to 3", what, flat, [](auto& v) { v.first_level = v.last_level = 3; });
    view("levels 4 to 4", what, flat, [](auto& v) { v.first_level = v.last_level = 4; });
    view("levels 4 to 5", what, flat, [](auto& v) { v.first_level = 4, v.last_level = 5; });
    view("the last reserved word", what, flat, [](auto& v) { v.reserved[15] = 1; });
    view("levels 2 to 1", what, flat, [](auto& v) { v.first_level = 2, v.last_level = 1; });
    view("levels 1 to 2, sizes of level 1", what, flat,
         [](auto& v) { v.first_level = 1, v.last_level = 2, v.width = 18, v.height = 14; });
    view("layers 0 to 1", what, flat, [](auto& v) { v.last_layer = 1; });
    view("layers 1 to 0", what, flat, [](auto& v) { v.first_layer = 1; });
    view("a reserved word", what, flat, [](auto& v) { v.reserved[0] = 1; });
  }
  for (kind what : {kind::array, kind::levels}) {
    const array_3d_descriptor layers{37, 29, 5, float_32, 1, is_layered};
    view("layers", what, layers, [](auto&) {});
    view("layers, all of 5", what, layers, [](auto& v) { v.last_layer = 4; });
    view("layers 1 to 3", what, layers, [](auto& v) { v.first_layer = 1, v.last_layer = 3; });
    view("layers 1 to 3, 3 deep", what, layers, [](auto& v) { v.first_layer = 1, v.last_layer = 3, v.depth = 3; });
    view("layers 0 to 5", what, layers, [](auto& v) { v.last_layer = 5; });
    view("layers 0 to 100", what, layers, [](auto& v) { v.last_layer = 100; });
    view("layers 5 to 5", what, layers, [](auto& v) { v.first_layer = v.last_layer = 5; });
    view("layers 2048 to 3000", what, layers, [](auto& v) { v.first_layer = 2048, v.last_layer = 3000; });
    view("layers 3 to 1", what, layers, [](auto& v) { v.first_layer = 3, v.last_layer = 1; });
    view("layers, 0 deep", what, layers, [](auto& v) { v.depth = 0, v.last_layer = 4; });
    const array_3d_descriptor solid{16, 16, 8, float_32, 1, 0};
    view("a volume", what, solid, [](auto&) {});
    view("a volume, layers 1 to 2", what, solid, [](auto& v) { v.first_layer = 1, v.last_layer = 2; });
    view("a volume, half as deep", what, solid, [](auto& v) { v.depth = 4; });
    const array_3d_descriptor cube{16, 16, 6, float_32, 1, is_cubemap};
    view("a cube", what, cube, [](auto&) {});
    view("a cube, layers 0 to 5", what, cube, [](auto& v) { v.last_layer = 5; });
    const array_3d_descriptor cubes{16, 16, 18, float_32, 1, is_cubemap | is_layered};
    view("cubes", what, cubes, [](auto&) {});
    view("cubes, layers 6 to 11", what, cubes, [](auto& v) { v.first_layer = 6, v.last_layer = 11; });
    view("cubes, layers 1 to 6", what, cubes, [](auto& v) { v.first_layer = 1, v.last_layer = 6; });
    view("cubes, layers 0 to 3", what, cubes, [](auto& v) { v.last_layer = 3; });
    const array_3d_descriptor blocks{8, 8, 0, unsigned_32, 2, 0}, wide_blocks{8, 8, 0, unsigned_32, 4, 0};
    for (int f : {0x19, 0x1c, 0x1d})
      for (unsigned times : {1U, 4U})
        view("8x8 of 64 bits as blocks " + std::to_string(f) + ", " + std::to_string(times) + " times as large", what,
             blocks, [=](auto& v) { v.format = f, v.width = v.height = 8 * times; });
    for (int f : {0x1a, 0x1b, 0x1e, 0x1f, 0x20, 0x21, 0x22})
      view("8x8 of 128 bits as blocks " + std::to_string(f), what, wide_blocks,
           [=](auto& v) { v.format = f, v.width = v.height = 32; });
  }
}

void add_surfaces(table& t) {
  const auto nothing = [](resource_descriptor&) {};
  const array_3d_descriptor with = of(float_32, 1, has_surfaces);
  t.surface("array", kind::array, with, nothing);
  t.surface("array without surfaces", kind::array, flat, nothing);
  t.surface("mipmapped", kind::levels, with, nothing);
  t.surface("linear", kind::linear, flat, nothing);
  t.surface("pitch 2D", kind::pitch_2d, flat, nothing);
  t.surface("null", kind::array, with, [](auto& r) { r.array = nullptr; });
  t.surface("flags 1", kind::array, with, [](auto& r) { r.flags = 1; });
  for (array_format f : {unsigned_8, half_float, signed_32})
    t.surface("format " + std::to_string(f), kind::array, of(f, 4, has_surfaces), nothing);
  t.surface("level 1", kind::levels, with, [](auto& r) {
    r.kind = array_resource;
    array* level = nullptr;
    cuMipmappedArrayGetLevel(&level, static_cast<mipmapped_array*>(r.array), 1);
    r.array = level;
  });
  t.surface("level 1 without surfaces", kind::levels, flat, [](auto& r) {
    r.kind = array_resource;
    array* level = nullptr;
    cuMipmappedArrayGetLevel(&level, static_cast<mipmapped_array*>(r.array), 1);
    r.array = level;
  });
  t.surface("kind 7", kind::array, with, [](auto& r) { r.kind = static_cast<resource_kind>(7); });
}

}  // namespace

std::vector<descriptor_case> all_descriptors() {
  table t;
  add_arrays(t);
  add_resources(t);
  add_modes(t);
  add_views(t);
  add_surfaces(t);
  add_questions(t);
  add_runtime(t);
  return std::move(t.all);
}

void start() {
  context* primary = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&primary, 0);
  cuCtxSetCurrent(primary);
}

}  // namespace bankwise::textures
