// Functions that the driver supplies to kernels: printf, malloc, assert, launches.
#pragma once

#include <string_view>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

bool is_supplied(std::string_view name);
bool uses_heap(std::string_view name);
// Whether blocks that call the function may run in parallel, because no other block can see what the function changes.
bool changes_nothing_shared(std::string_view name);
// Executes the function for all lanes of the path, and returns to the caller. Arguments are in R4 and the next
// registers, each at a multiple of its size. The result is written to R4. The return address is in R20.
step call_supplied(worker& m, std::string_view name);
// Returns the return address of the path's first lane. Lanes with a different return address become a separate path,
// which executes the call later.
std::uint64_t return_address(worker& m);

}  // namespace bankwise::emulate
