// The functions that these tests and programs call, of the driver and the runtime that they are linked with: the
// machine's, or ours.
#pragma once

#define BANKWISE_CUDART 13
#include "runtime/cudart/entries.hpp"
#include "runtime/driver/entries.hpp"

namespace bankwise::textures {

using namespace cuda;

// As the runtime takes them. In CUDA 12 they are shorter.
inline const given_resource* given(const runtime_resource& r) { return reinterpret_cast<const given_resource*>(&r); }
inline given_view* given(view_descriptor& v) { return reinterpret_cast<given_view*>(&v); }

}  // namespace bankwise::textures
