// Declares the functions that these tests and programs call. The functions belong to the linked driver and runtime,
// which are the machine's libraries or ours.
#pragma once

#define BANKWISE_CUDART 13
#include "runtime/cudart/entries.hpp"
#include "runtime/driver/entries/entries.hpp"

namespace bankwise::textures {

using namespace cuda;

// Converts to the structures of the runtime. These structures are shorter in CUDA 12.
inline const given_resource* given(const runtime_resource& r) { return reinterpret_cast<const given_resource*>(&r); }
inline given_view* given(view_descriptor& v) { return reinterpret_cast<given_view*>(&v); }

}  // namespace bankwise::textures
