// Runs work that needs a large stack in a thread of the stand-in, if the program's thread has a small stack.
#pragma once

#include <functional>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

// Whether the stack of this thread is smaller than the stack that a launch may need.
bool has_small_stack();
// Runs `body` in a thread with a larger stack. The caller holds the lock.
error run_with_room(state& s, std::function<error()> body);

}  // namespace bankwise::cuda
