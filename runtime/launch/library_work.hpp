// Computes the calls of libraries in math/, which access device memory.
#pragma once

#include "runtime/device/cuda_abi.hpp"
#include "runtime/library_call.hpp"

namespace bankwise::cuda {

struct state;

// Checks a library call, then computes it or makes it pending.
error run_operation(state& s, const library_call& given);
// Computes a library call whose parameters are checked.
void perform_library_call(state& s, const library_call& c);

}  // namespace bankwise::cuda
