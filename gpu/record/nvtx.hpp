// NVTX ranges of the recorded program: which of them the calling thread is in.
#pragma once

#include <string>

namespace bankwise::record {

// The range that in_nvtx_range() asks for; empty: every thread is always in it. The first stays.
void set_nvtx_range(const std::string& name);
bool in_nvtx_range();

}  // namespace bankwise::record
