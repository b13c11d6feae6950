// The descriptors that are passed to the runtime, and questions about objects.
#include "descriptor_table.hpp"

namespace bankwise::textures {

void add_questions(table& t) {
  for (unsigned long long object : {0ULL, 0xfffffULL}) {
    const std::string name = " object " + std::to_string(object);
    t.other("destroy texture" + name, [object] { return std::to_string(cuTexObjectDestroy(object)); });
    t.other("destroy surface" + name, [object] { return std::to_string(cuSurfObjectDestroy(object)); });
    t.other("resource of texture" + name, [object] {
      resource_descriptor r{};
      return std::to_string(cuTexObjectGetResourceDesc(&r, object));
    });
    t.other("resource of surface" + name, [object] {
      resource_descriptor r{};
      return std::to_string(cuSurfObjectGetResourceDesc(&r, object));
    });
  }
  const auto made = [](auto ask) {
    const resource r(kind::array, flat);
    texture_descriptor how{};
    for (int& mode : how.address_mode) mode = 1;
    unsigned long long object = 0;
    if (const int status = cuTexObjectCreate(&object, &r.from, &how, nullptr); status != 0)
      return "not made " + std::to_string(status);
    return std::to_string(ask(object));
  };
  const auto about = [&](const std::string& name, auto ask) { t.other(name, [=] { return made(ask); }); };
  about("view of a texture without one", [](auto object) {
    view_descriptor v{};
    const int status = cuTexObjectGetResourceViewDesc(&v, object);
    cuTexObjectDestroy(object);
    return status;
  });
  about("destroy a texture as a surface", [](auto object) {
    const int status = cuSurfObjectDestroy(object);
    cuTexObjectDestroy(object);
    return status;
  });
  about("destroy a texture twice", [](auto object) {
    cuTexObjectDestroy(object);
    return cuTexObjectDestroy(object);
  });
  about("resource of a texture as of a surface", [](auto object) {
    resource_descriptor r{};
    const int status = cuSurfObjectGetResourceDesc(&r, object);
    cuTexObjectDestroy(object);
    return status;
  });
  about("resource of a texture that is destroyed", [](auto object) {
    cuTexObjectDestroy(object);
    resource_descriptor r{};
    return cuTexObjectGetResourceDesc(&r, object);
  });
  about("texture's resource, nowhere to put it", [](auto object) {
    const int status = cuTexObjectGetResourceDesc(nullptr, object);
    cuTexObjectDestroy(object);
    return status;
  });
  t.other("texture, where to put it is null", [] {
    const resource r(kind::array, flat);
    texture_descriptor how{};
    return std::to_string(cuTexObjectCreate(nullptr, &r.from, &how, nullptr));
  });
  t.other("texture, no resource", [] {
    unsigned long long object = 0;
    texture_descriptor how{};
    return std::to_string(cuTexObjectCreate(&object, nullptr, &how, nullptr));
  });
  t.other("texture, not how", [] {
    const resource r(kind::array, flat);
    unsigned long long object = 0;
    return std::to_string(cuTexObjectCreate(&object, &r.from, nullptr, nullptr));
  });
  // NVIDIA's driver ends the program for mipmapped arrays and for arrays that are declared as mipmapped, so these cases
  // exclude such arrays.
  t.other("array is freed, then the texture of it: array", [] {
    resource_descriptor from{};
    {
      const resource r(kind::array, flat);
      from = r.from;
    }
    texture_descriptor how{};
    unsigned long long object = 0;
    return std::to_string(cuTexObjectCreate(&object, &from, &how, nullptr));
  });
}

void add_runtime(table& t) {
  constexpr channel_format floats{32, 0, 0, 0, 2}, bytes{8, 8, 8, 8, 1};
  const array_3d_descriptor bytes_like = of(unsigned_8, 4);
  for (kind what : kinds) {
    const std::string name = std::string(name_of(what)) + ", ";
    const auto add = [&](const std::string& mode, auto differ) {
      t.runtime(name + mode, what, flat, floats, [differ](runtime_setup& s) { differ(s.how); });
      t.runtime(name + "bytes, " + mode, what, bytes_like, bytes, [differ](runtime_setup& s) { differ(s.how); });
    };
    add("plain", [](auto&) {});
    for (int n : {-1, 1, 2}) {
      add("reads floats " + std::to_string(n), [n](auto& h) { h.reads_floats = n; });
      add("linear " + std::to_string(n), [n](auto& h) { h.is_linear = n; });
      add("linear " + std::to_string(n) + ", reads floats", [n](auto& h) { h.is_linear = n, h.reads_floats = 1; });
      add("normalized " + std::to_string(n), [n](auto& h) { h.normalized = n; });
      add("sRGB " + std::to_string(n), [n](auto& h) { h.is_srgb = n; });
      add("sRGB " + std::to_string(n) + ", reads floats", [n](auto& h) { h.is_srgb = n, h.reads_floats = 1; });
      add("seamless " + std::to_string(n), [n](auto& h) { h.is_seamless = n; });
      add("between levels " + std::to_string(n), [n](auto& h) { h.between_levels_linear = n; });
    }
    for (int mode : {-1, 0, 3, 4})
      add("address mode " + std::to_string(mode), [mode](auto& h) { h.address_mode[0] = mode; });
    add("anisotropy 17", [](auto& h) { h.most_anisotropy = 17; });
  }
  for (kind what : {kind::linear, kind::pitch_2d}) {
    const std::string name = std::string(name_of(what)) + ", channels ";
    for (channel_format c :
         {channel_format{32, 32, 32, 0, 2}, channel_format{0, 0, 0, 0, 2}, channel_format{8, 0, 0, 0, 2},
          channel_format{16, 0, 0, 0, 2}, channel_format{32, 16, 0, 0, 2}, channel_format{24, 0, 0, 0, 1},
          channel_format{8, 8, 8, 0, 1}, channel_format{0, 8, 0, 0, 1}, channel_format{64, 0, 0, 0, 0},
          channel_format{32, 0, 0, 0, 3}, channel_format{32, 0, 0, 0, 9}, channel_format{16, 16, 16, 0, 0}})
      t.runtime(name + std::to_string(c.x) + " " + std::to_string(c.y) + " " + std::to_string(c.z) + " " +
                    std::to_string(c.w) + " kind " + std::to_string(c.kind),
                what, flat, c, [](runtime_setup&) {});
  }
  for (kind what : kinds)
    t.runtime(name_of(what) + std::string(", null"), what, flat, floats,
              [](runtime_setup& s) { s.from.array = nullptr; });
  for (int n : {-1, 4})
    t.runtime("kind " + std::to_string(n), kind::array, flat, floats,
              [n](runtime_setup& s) { s.from.kind = static_cast<resource_kind>(n); });
  const auto array = [&](const std::string& name, const channel_format& c, std::size_t w, std::size_t h, std::size_t d,
                         unsigned flags) {
    t.other("runtime array, " + name, [=] {
      cuda::array* made = nullptr;
      const int status = cudaMalloc3DArray(&made, &c, {w, h, d}, flags);
      if (status == 0) cudaFreeArray(made);
      cudaGetLastError();
      return std::to_string(status);
    });
  };
  array("plain", floats, 8, 8, 0, 0), array("0 wide", floats, 0, 8, 0, 0), array("too wide", floats, 131073, 2, 0, 0);
  array("flags 0x10", floats, 8, 8, 0, 16), array("flags 0x40", floats, 8, 8, 0, 64),
      array("flags 0x100", floats, 8, 8, 0, 256);
  array("three channels", {8, 8, 8, 0, 1}, 8, 8, 0, 0), array("no channel", {0, 0, 0, 0, 1}, 8, 8, 0, 0);
  array("layers without", floats, 8, 8, 0, is_layered), array("cube of 5", floats, 8, 8, 5, is_cubemap);
  t.other("runtime surface, array without surfaces", [] {
    const resource r(kind::array, flat);
    runtime_resource from{};
    from.kind = array_resource, from.array = r.from.array;
    unsigned long long object = 0;
    const int status = cudaCreateSurfaceObject(&object, given(from));
    cudaGetLastError();
    return std::to_string(status);
  });
  t.other("runtime view of a texture without one", [] {
    const resource r(kind::array, flat);
    runtime_resource from{};
    from.kind = array_resource, from.array = r.from.array;
    runtime_texture how{};
    for (int& mode : how.address_mode) mode = 1;
    unsigned long long object = 0;
    if (const int status = cudaCreateTextureObject(&object, given(from), &how, nullptr); status != 0)
      return "not made " + std::to_string(status);
    view_descriptor v{};
    const int status = cudaGetTextureObjectResourceViewDesc(given(v), object);
    cudaGetLastError();
    cudaDestroyTextureObject(object);
    return std::to_string(status);
  });
  t.other("runtime texture, no descriptor of how", [] {
    const resource r(kind::array, flat);
    runtime_resource from{};
    from.kind = array_resource, from.array = r.from.array;
    unsigned long long object = 0;
    const int status = cudaCreateTextureObject(&object, given(from), nullptr, nullptr);
    cudaGetLastError();
    return std::to_string(status);
  });
}

}  // namespace bankwise::textures
