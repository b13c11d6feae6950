// The driver's functions by name, for cuGetProcAddress.
#pragma once

#include "runtime/driver/abi.hpp"

namespace bankwise::cuda {

// The version of CUDA that the driver reports to every runtime.
inline constexpr int driver_version = 13000;

// The newest form of a function in this version of CUDA. A name with a form, "cuMemAlloc_v2", selects that form.
driver_status find_proc(const char* name, void** address, int version, proc_status* status, bool per_thread = false);
inline constexpr std::uint64_t per_thread_default_stream = 2;  // a flag of the caller

}  // namespace bankwise::cuda
