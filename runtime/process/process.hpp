// The process: makes its state on first use, writes the last report at its end, and resets the device.
#pragma once

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

// Releases all memory and streams, for a reset of the device. Modules stay loaded.
void reset(state& s);

// Releases all objects that were made in the context, and the context. Returns false if make_context() did not make
// it.
bool destroy_context(state& s, context* c);

}  // namespace bankwise::cuda
