// Tables of answers of a driver or runtime to descriptors. A case is an array or memory of an object, and one change to
// a valid descriptor. descriptors.cpp and runtime_descriptors.cpp have the rows.
#pragma once

#include "descriptors.hpp"
#include "driver_functions.hpp"

namespace bankwise::textures {

inline constexpr array_3d_descriptor flat{37, 29, 0, float_32, 1, 0};
constexpr array_3d_descriptor of(array_format format, unsigned channels, unsigned flags = 0) {
  return {37, 29, 0, format, channels, flags};
}
enum class kind { array, levels, linear, pitch_2d };

// The resource of an object, and the object's parameters.
struct setup {
  resource_descriptor from{};
  texture_descriptor how{};
  view_descriptor view{};
  bool has_view = false;
};
using change = std::function<void(setup&)>;
// The array or memory of an object. It exists during the case.
class resource {
 public:
  resource(kind what, const array_3d_descriptor& like, unsigned levels = 4) {
    if (what == kind::array) status = cuArray3DCreate_v2(&array_, &like);
    if (what == kind::levels) status = cuMipmappedArrayCreate(&levels_, &like, levels);
    if (what == kind::linear || what == kind::pitch_2d) status = cuMemAlloc_v2(&memory_, std::size_t{1} << 16);
    if (what == kind::array) from.kind = array_resource, from.array = array_;
    if (what == kind::levels) from.kind = mipmapped_resource, from.array = levels_;
    if (what == kind::linear) {
      from.kind = linear_resource;
      from.linear = {memory_, like.format, like.channels, 4096};
    }
    if (what == kind::pitch_2d) {
      from.kind = pitch_2d_resource;
      from.pitch_2d = {memory_, like.format, like.channels, 37, 29, 1024};
    }
  }
  ~resource() {
    if (array_ != nullptr) cuArrayDestroy(array_);
    if (levels_ != nullptr) cuMipmappedArrayDestroy(levels_);
    if (memory_ != 0) cuMemFree_v2(memory_);
  }
  resource(const resource&) = delete;
  resource& operator=(const resource&) = delete;

  resource_descriptor from{};
  int status = 0;

 private:
  array* array_ = nullptr;
  mipmapped_array* levels_ = nullptr;
  device_pointer memory_ = 0;
};

// The resource and the texture description that the runtime gets for a case.
struct runtime_setup {
  runtime_resource from{};
  runtime_texture how{};
};

// The cases, in order.
class table {
 public:
  std::vector<descriptor_case> all;

  void array(const std::string& name, const array_3d_descriptor& like);
  void levels(const std::string& name, const array_3d_descriptor& like, unsigned count);
  void texture(const std::string& name, kind what, const array_3d_descriptor& like, const change& differ);
  void surface(const std::string& name, kind what, const array_3d_descriptor& like,
               const std::function<void(resource_descriptor&)>& differ);
  void runtime(const std::string& name, kind what, const array_3d_descriptor& like, const channel_format& channels,
               const std::function<void(runtime_setup&)>& differ);
  void other(const std::string& name, const std::function<std::string()>& answer) { all.push_back({name, answer}); }
};

const char* name_of(kind what);
inline constexpr kind kinds[] = {kind::array, kind::levels, kind::linear, kind::pitch_2d};

void add_questions(table& t);
void add_runtime(table& t);

}  // namespace bankwise::textures
