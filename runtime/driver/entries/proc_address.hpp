// The driver's functions by name, for cuGetProcAddress.
#pragma once

#include "runtime/device/driver_abi.hpp"

namespace bankwise::cuda {

// Version of CUDA that the driver reports to every runtime.
inline constexpr int driver_version = 13000;

// Finds the newest form of a driver function in CUDA of this `version`. If the name has a suffix, as in
// "cuMemAlloc_v2", finds exactly this form.
driver_status find_proc(const char* name, void** address, int version, proc_status* status, bool per_thread = false);
inline constexpr std::uint64_t per_thread_default_stream = 2;  // number of a flag of cuGetProcAddress

}  // namespace bankwise::cuda
