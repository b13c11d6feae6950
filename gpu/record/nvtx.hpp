// NVTX ranges of the recorded program: the ranges that the calling thread is in.
#pragma once

#include <string>

namespace bankwise::record {

// The range for in_nvtx_range(); empty means that every thread is always in it. The first call decides.
void set_nvtx_range(const std::string& name);
bool in_nvtx_range();

}  // namespace bankwise::record
