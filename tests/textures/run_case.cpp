#include "run_case.hpp"

#include <algorithm>

#include "driver_functions.hpp"

namespace bankwise::textures {

void ask(int status) {
  if (status) throw failure{status};
}
unsigned at_level(unsigned size, unsigned level) { return size == 0 ? 0 : std::max(1U, size >> level); }

// Copies one level from the host to the device or back.
void copy_level(const texture_case& c, array* at, std::vector<std::uint8_t>& bytes, unsigned level, bool back) {
  const bool layers = c.form != shape::array;
  const std::size_t row = std::size_t{at_level(c.width, level)} * c.channels * bytes_of(c.format);
  const std::size_t rows = std::max(1U, at_level(c.height, level));
  driver_copy_3d copy{};
  copy.from_type = back ? in_array : on_host, copy.to_type = back ? on_host : in_array;
  (back ? copy.from_array : copy.to_array) = at;
  if (back)
    copy.to_host = bytes.data(), copy.to_pitch = row, copy.to_height = rows;
  else
    copy.from_host = bytes.data(), copy.from_pitch = row, copy.from_height = rows;
  copy.width = row, copy.height = rows, copy.depth = std::max(1U, layers ? c.depth : at_level(c.depth, level));
  ask(cuMemcpy3D_v2(&copy));
}

std::vector<std::uint32_t> results(cuda::module* in_module, const texture_case& c) {
  function* kernel = nullptr;
  ask(cuModuleGetFunction(&kernel, in_module, c.kernel.c_str()));
  const bool surface = c.kernel.starts_with("read") || c.kernel.starts_with("write") ||
                       c.kernel.starts_with("reduce") || c.kernel.starts_with("format") || c.kernel == "query_surface";
  const bool layers = c.form == shape::layered || c.form == shape::layered_cube || c.form == shape::cube;
  resource_descriptor from{};
  texture_descriptor texture{};
  for (int i = 0; i < 3; ++i) texture.address_mode[i] = c.address[i];
  texture.is_linear = c.linear, texture.flags = c.flags, texture.most_anisotropy = c.anisotropy;
  texture.between_levels_linear = c.between, texture.level_bias = c.bias, texture.first_level = c.first,
  texture.last_level = c.last;
  constexpr float borders[][4] = {
      {0.25F, 0.5F, -1, 3}, {0.1F, 0.0123F, -0.3F, 0.9999F}, {1e-5F, -1e-5F, 0.7777F, 1e-40F}};
  std::copy_n(borders[c.border], 4, texture.border);
  device_pointer memory = 0;
  array* plain = nullptr;
  mipmapped_array* all_levels = nullptr;
  const unsigned texel = c.channels * bytes_of(c.format);
  std::vector<std::vector<std::uint8_t>> content;
  for (unsigned l = 0; l < c.levels; ++l)
    content.push_back(texels(c,
                             std::size_t{at_level(c.width, l)} * std::max(1U, at_level(c.height, l)) *
                                 std::max(1U, layers ? c.depth : at_level(c.depth, l)),
                             l));
  if (c.form == shape::linear) {
    ask(cuMemAlloc_v2(&memory, content[0].size()));
    ask(cuMemcpyHtoD_v2(memory, content[0].data(), content[0].size()));
    from.kind = linear_resource;
    from.linear = {memory, c.format, c.channels, content[0].size()};
  } else if (c.form == shape::pitch_2d) {
    std::size_t pitch = 0;
    ask(cuMemAllocPitch_v2(&memory, &pitch, c.width * texel, c.height, 4));
    driver_copy_2d copy{};
    copy.from_type = on_host, copy.from_host = content[0].data(), copy.from_pitch = c.width * texel;
    copy.to_type = on_device, copy.to_device = memory, copy.to_pitch = pitch;
    copy.width = c.width * texel, copy.height = c.height;
    ask(cuMemcpy2D_v2(&copy));
    from.kind = pitch_2d_resource;
    from.pitch_2d = {memory, c.format, c.channels, c.width, c.height, pitch};
  } else {
    unsigned flags = surface ? unsigned{has_surfaces} : 0U;
    if (c.form == shape::layered || c.form == shape::layered_cube) flags |= is_layered;
    if (c.form == shape::cube || c.form == shape::layered_cube) flags |= is_cubemap;
    if (has(c, "gather")) flags |= has_gather;
    const array_3d_descriptor like{c.width, c.height, c.depth, c.format, c.channels, flags};
    if (c.levels > 1) {
      ask(cuMipmappedArrayCreate(&all_levels, &like, c.levels));
      for (unsigned l = 0; l < c.levels; ++l) {
        array* level = nullptr;
        ask(cuMipmappedArrayGetLevel(&level, all_levels, l));
        copy_level(c, level, content[l], l, false);
      }
      from.kind = mipmapped_resource;
      from.array = all_levels;
    } else {
      ask(cuArray3DCreate_v2(&plain, &like));
      copy_level(c, plain, content[0], 0, false);
      from.kind = array_resource;
      from.array = plain;
    }
  }
  unsigned long long object = 0;
  view_descriptor view{};
  view.format = c.view;
  view.width = c.width, view.height = c.height, view.depth = c.depth;
  view.first_level = c.first_level, view.last_level = c.last_level, view.first_layer = c.first_layer,
  view.last_layer = c.last_layer;
  if (surface)
    ask(cuSurfObjectCreate(&object, &from));
  else
    ask(cuTexObjectCreate(&object, &from, &texture, c.view ? &view : nullptr));
  const auto in = inputs(c);
  std::vector<std::uint32_t> out(std::size_t{4} * c.threads);
  device_pointer in_at = 0, out_at = 0;
  ask(cuMemAlloc_v2(&in_at, in.size() * 4));
  ask(cuMemAlloc_v2(&out_at, out.size() * 4));
  ask(cuMemcpyHtoD_v2(in_at, in.data(), in.size() * 4));
  ask(cuMemsetD8_v2(out_at, 0xa5, out.size() * 4));
  int threads = static_cast<int>(c.threads);
  // If several threads may write the same texel, the threads run one at a time.
  for (unsigned first = 0; first < (writes(c) ? c.threads : 1); ++first) {
    device_pointer in_here = in_at + first * 32;
    if (writes(c)) threads = 1;
    void* arguments[] = {&object, &in_here, &out_at, &threads};
    ask(cuLaunchKernel(kernel, writes(c) ? 1 : (c.threads + 127) / 128, 1, 1, writes(c) ? 1 : 128, 1, 1, 0, nullptr,
                       arguments, nullptr));
  }
  ask(cuCtxSynchronize());
  if (writes(c)) {
    copy_level(c, plain, content[0], 0, true);
    out.assign((content[0].size() + 3) / 4, 0);
    std::memcpy(out.data(), content[0].data(), content[0].size());
  } else {
    ask(cuMemcpyDtoH_v2(out.data(), out_at, out.size() * 4));
  }
  ask(surface ? cuSurfObjectDestroy(object) : cuTexObjectDestroy(object));
  if (memory) ask(cuMemFree_v2(memory));
  if (plain) ask(cuArrayDestroy(plain));
  if (all_levels) ask(cuMipmappedArrayDestroy(all_levels));
  ask(cuMemFree_v2(in_at));
  ask(cuMemFree_v2(out_at));
  return out;
}

cuda::module* load(const std::vector<char>& cubin) {
  context* primary = nullptr;
  module* made = nullptr;
  ask(cuInit(0));
  ask(cuDevicePrimaryCtxRetain(&primary, 0));
  ask(cuCtxSetCurrent(primary));
  ask(cuModuleLoadData(&made, cubin.data()));
  return made;
}

}  // namespace bankwise::textures
