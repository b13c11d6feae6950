// Functions that the driver supplies to kernels: printf, malloc, assert, launches.
#pragma once

#include <string_view>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

bool is_supplied(std::string_view name);
bool uses_heap(std::string_view name);
// Whether blocks that call it may run side by side: it changes nothing that another block sees.
bool changes_nothing_shared(std::string_view name);
// Does what the function does for all lanes of the path and lets them return. Arguments are in R4 and up, each at a
// multiple of its size; the result goes to R4; the return address is in R20.
step call_supplied(worker& m, std::string_view name);
// Where the first lane of the path returns to. Lanes that return elsewhere become a path of their own, and call later.
std::uint64_t return_address(worker& m);

}  // namespace bankwise::emulate
