// Threads of a program with a small stack: what needs more than they have runs in a thread of our own.
#pragma once

#include <functional>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

// Whether this thread has less stack than a launch may need.
bool has_small_stack();
// In a thread with a larger stack. The lock is held.
error run_with_room(state& s, std::function<error()> body);

}  // namespace bankwise::cuda
