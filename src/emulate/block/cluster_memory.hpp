// The shared memory of the blocks of a cluster, for accesses that are usually valid. cluster_bytes() also reports why an
// address is not valid, and its caller makes a text for the report, which takes longer than the access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The bytes [address, address + count) of the shared memory of a block in the cluster. Null if an access there is a
// fault.
std::byte* find_cluster_bytes(const worker& m, std::uint32_t address, std::uint64_t count);

}  // namespace bankwise::emulate
