// The NVTX ranges that are open in the calling thread of the recorded program.
#pragma once

#include <string>

namespace bankwise::record {

// Sets the range for in_nvtx_range(). If the name is empty, in_nvtx_range() is always true. Only the first call has an
// effect.
void set_nvtx_range(const std::string& name);
bool in_nvtx_range();

}  // namespace bankwise::record
