// Threads of a program with a small stack. Work that needs a larger stack runs in a thread of the stand-in.
#pragma once

#include <functional>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

// Whether the stack of this thread is smaller than a launch may need.
bool has_small_stack();
// Runs `body` in a thread with a larger stack. The caller holds the lock.
error run_with_room(state& s, std::function<error()> body);

}  // namespace bankwise::cuda
