// The driver's functions by name, for cuGetProcAddress.
#pragma once

#include "runtime/driver/abi.hpp"

namespace bankwise::cuda {

// The version of CUDA that the driver reports to every runtime.
inline constexpr int driver_version = 13000;

// Returns the newest version of a function in this CUDA version. A name with a suffix, such as "cuMemAlloc_v2", selects
// that version.
driver_status find_proc(const char* name, void** address, int version, proc_status* status, bool per_thread = false);
inline constexpr std::uint64_t per_thread_default_stream = 2;  // flag of cuGetProcAddress

}  // namespace bankwise::cuda
