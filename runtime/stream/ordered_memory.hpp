// Memory that is allocated or released in the order of a stream, or after the work of all streams.
#pragma once

#include "runtime/memory/memory_pool.hpp"
#include "runtime/stream/operation.hpp"

namespace bankwise::cuda {

// Allocates from a pool in the order of a stream. If the stream is captured, the allocation becomes a node of the
// graph.
error allocate_in_order(state& s, void** pointer, std::size_t bytes, pool* p, stream* handle);
// Releases an allocation after all pending operations that may use it.
error release_when_idle(state& s, void* pointer, bool of_host);
error unregister_host(state& s, void* pointer);

}  // namespace bankwise::cuda
