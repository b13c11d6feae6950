#include "descriptor_table.hpp"

namespace bankwise::textures {

namespace {

std::string array_answer(const array_3d_descriptor& like) {
  array* made = nullptr;
  const int status = cuArray3DCreate_v2(&made, &like);
  if (status != 0) return std::to_string(status);
  array_3d_descriptor is{};
  cuArray3DGetDescriptor_v2(&is, made);
  cuArrayDestroy(made);
  return "0 " + std::to_string(is.width) + "x" + std::to_string(is.height) + "x" + std::to_string(is.depth) + " " +
         std::to_string(is.flags);
}
std::string levels_answer(const array_3d_descriptor& like, unsigned levels) {
  mipmapped_array* made = nullptr;
  const int status = cuMipmappedArrayCreate(&made, &like, levels);
  if (status != 0) return std::to_string(status);
  std::string text = "0";
  int missing = 0;
  for (unsigned n = 0; n < 40 && missing == 0; ++n) {
    array* level = nullptr;
    missing = cuMipmappedArrayGetLevel(&level, made, n);
    array_3d_descriptor is{};
    if (missing == 0) cuArray3DGetDescriptor_v2(&is, level);
    text += missing != 0
                ? " then " + std::to_string(missing)
                : " " + std::to_string(is.width) + "x" + std::to_string(is.height) + "x" + std::to_string(is.depth);
  }
  cuMipmappedArrayDestroy(made);
  return text;
}
std::string texture_answer(kind what, const array_3d_descriptor& like, const change& differ) {
  const resource r(what, like);
  if (r.status != 0) return "no resource " + std::to_string(r.status);
  setup s;
  s.from = r.from;
  for (int& mode : s.how.address_mode) mode = 1;
  s.how.last_level = 10;
  differ(s);
  unsigned long long object = 0;
  const int status = cuTexObjectCreate(&object, &s.from, &s.how, s.has_view ? &s.view : nullptr);
  if (status == 0) cuTexObjectDestroy(object);
  return std::to_string(status);
}
std::string surface_answer(kind what, const array_3d_descriptor& like,
                           const std::function<void(resource_descriptor&)>& differ) {
  resource r(what, like);
  if (r.status != 0) return "no resource " + std::to_string(r.status);
  differ(r.from);
  unsigned long long object = 0;
  const int status = cuSurfObjectCreate(&object, &r.from);
  if (status == 0) cuSurfObjectDestroy(object);
  return std::to_string(status);
}

// Like texture_answer(), but creates the texture object with the runtime's function instead of the driver's function.
std::string runtime_answer(kind what, const array_3d_descriptor& like, const channel_format& channels,
                           const std::function<void(runtime_setup&)>& differ) {
  const resource r(what, like);
  if (r.status != 0) return "no resource " + std::to_string(r.status);
  runtime_setup s;
  s.from.kind = r.from.kind;
  if (what == kind::linear)
    s.from.linear = {reinterpret_cast<void*>(r.from.linear.at), channels, r.from.linear.bytes};
  else if (what == kind::pitch_2d)
    s.from.pitch_2d = {reinterpret_cast<void*>(r.from.pitch_2d.at), channels, 37, 29, 1024};
  else
    s.from.array = r.from.array;
  for (int& mode : s.how.address_mode) mode = 1;
  differ(s);
  unsigned long long object = 0;
  const int status = cudaCreateTextureObject(&object, given(s.from), &s.how, nullptr);
  if (status == 0) cudaDestroyTextureObject(object);
  cudaGetLastError();
  return std::to_string(status);
}

}  // namespace

void table::array(const std::string& name, const array_3d_descriptor& like) {
  all.push_back({"array, " + name, [like] { return array_answer(like); }});
}
void table::levels(const std::string& name, const array_3d_descriptor& like, unsigned count) {
  all.push_back({"mipmapped array, " + name, [like, count] { return levels_answer(like, count); }});
}
void table::texture(const std::string& name, kind what, const array_3d_descriptor& like, const change& differ) {
  all.push_back({"texture, " + name, [what, like, differ] { return texture_answer(what, like, differ); }});
}
void table::surface(const std::string& name, kind what, const array_3d_descriptor& like,
                    const std::function<void(resource_descriptor&)>& differ) {
  all.push_back({"surface, " + name, [what, like, differ] { return surface_answer(what, like, differ); }});
}
void table::runtime(const std::string& name, kind what, const array_3d_descriptor& like, const channel_format& channels,
                    const std::function<void(runtime_setup&)>& differ) {
  all.push_back({"runtime texture, " + name,
                 [what, like, channels, differ] { return runtime_answer(what, like, channels, differ); }});
}

const char* name_of(kind what) {
  constexpr const char* names[] = {"array", "mipmapped", "linear", "pitch 2D"};
  return names[static_cast<int>(what)];
}

}  // namespace bankwise::textures
