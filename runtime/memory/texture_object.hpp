// Texture and surface objects, made from descriptors as objects of the emulator (emulate/texture/texture.hpp). Like the
// driver's handles, their handles are 1, 2, 3 and so on.
#pragma once

#include "runtime/device/allocations.hpp"
#include "runtime/memory/array.hpp"

namespace bankwise::cuda {

error make_texture_object(state& s, const resource_descriptor* resource, const texture_descriptor* texture,
                          const view_descriptor* view, unsigned long long* made);
error make_surface_object(state& s, const resource_descriptor* resource, unsigned long long* made);
error destroy_object(state& s, unsigned long long object, bool is_surface);
// Returns the descriptor of the array that the resource names, or null if the resource does not name an array.
const array_3d_descriptor* what_it_is_like(const state& s, const resource_descriptor& r);
// Returns the descriptors from which an object was made, or null if there is no such object.
const object_descriptors* descriptors_of(const state& s, unsigned long long object, bool is_surface);

}  // namespace bankwise::cuda
