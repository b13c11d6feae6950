// The NVTX ranges of the recorded program that are open in the calling thread.
#pragma once

#include <string>

namespace bankwise::record {

// Sets the range for in_nvtx_range(). If the name is empty, every thread is always in the range. Only the first call
// has an effect.
void set_nvtx_range(const std::string& name);
bool in_nvtx_range();

}  // namespace bankwise::record
