// Entry points of the driver: arrays, texture and surface objects.
#include "runtime/driver/call.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/memory/texture_object.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

array_3d_descriptor wide(const array_descriptor& d) { return {d.width, d.height, 0, d.format, d.channels, 0}; }

// Part of what an object was made of.
template <class T, class Part>
driver_status tell(T* to, unsigned long long object, bool is_surface, Part part,
                   const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        const object_descriptors* of = descriptors_of(s, object, is_surface);
        return of == nullptr ? cudaErrorInvalidValue : part(*of, to);
      },
      entry);
}

}  // namespace

CUDA_API driver_status cuArray3DCreate_v2(array** made, const array_3d_descriptor* like) {
  return context_call([&](state& s) { return like == nullptr ? cudaErrorInvalidValue : make_array(s, *like, made); });
}
CUDA_API driver_status cuArrayCreate_v2(array** made, const array_descriptor* like) {
  return context_call(
      [&](state& s) { return like == nullptr ? cudaErrorInvalidValue : make_array(s, wide(*like), made); });
}
CUDA_API driver_status cuArrayDestroy(array* a) {
  return context_call([&](state& s) { return a == nullptr ? cudaErrorInvalidResourceHandle : free_array(s, a); });
}
CUDA_API driver_status cuArray3DGetDescriptor_v2(array_3d_descriptor* to, array* a) {
  return context_call([&](state& s) {
    const array* found = find_array(s, a);
    return found == nullptr ? cudaErrorInvalidResourceHandle : put(to, found->like);
  });
}
CUDA_API driver_status cuArrayGetDescriptor_v2(array_descriptor* to, array* a) {
  return context_call([&](state& s) {
    const array* found = find_array(s, a);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const array_3d_descriptor& d = found->like;
    return put(to, array_descriptor{d.width, d.height, d.format, d.channels});
  });
}

CUDA_API driver_status cuMipmappedArrayCreate(mipmapped_array** made, const array_3d_descriptor* like,
                                              unsigned levels) {
  return context_call(
      [&](state& s) { return like == nullptr ? cudaErrorInvalidValue : make_mipmapped_array(s, *like, levels, made); });
}
CUDA_API driver_status cuMipmappedArrayGetLevel(array** level, mipmapped_array* a, unsigned n) {
  return context_call([&](state& s) {
    const mipmapped_array* found = find_mipmapped_array(s, a);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    return n < found->levels.size() ? put(level, found->levels[n].get()) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuMipmappedArrayDestroy(mipmapped_array* a) {
  return context_call(
      [&](state& s) { return a == nullptr ? cudaErrorInvalidResourceHandle : free_mipmapped_array(s, a); });
}

CUDA_API driver_status cuTexObjectCreate(unsigned long long* made, const resource_descriptor* resource,
                                         const texture_descriptor* texture, const view_descriptor* view) {
  return context_call([&](state& s) { return make_texture_object(s, resource, texture, view, made); });
}
CUDA_API driver_status cuTexObjectDestroy(unsigned long long object) {
  return context_call([&](state& s) { return destroy_object(s, object, false); });
}
CUDA_API driver_status cuTexObjectGetResourceDesc(resource_descriptor* to, unsigned long long object) {
  return tell(to, object, false, [](const object_descriptors& of, auto* p) { return put(p, of.resource); });
}
CUDA_API driver_status cuTexObjectGetTextureDesc(texture_descriptor* to, unsigned long long object) {
  return tell(to, object, false, [](const object_descriptors& of, auto* p) { return put(p, of.texture); });
}
CUDA_API driver_status cuTexObjectGetResourceViewDesc(view_descriptor* to, unsigned long long object) {
  return tell(to, object, false, [](const object_descriptors& of, auto* p) { return put(p, of.view); });
}
CUDA_API driver_status cuSurfObjectCreate(unsigned long long* made, const resource_descriptor* resource) {
  return context_call([&](state& s) { return make_surface_object(s, resource, made); });
}
CUDA_API driver_status cuSurfObjectDestroy(unsigned long long object) {
  return context_call([&](state& s) { return destroy_object(s, object, true); });
}
CUDA_API driver_status cuSurfObjectGetResourceDesc(resource_descriptor* to, unsigned long long object) {
  return tell(to, object, true, [](const object_descriptors& of, auto* p) { return put(p, of.resource); });
}
