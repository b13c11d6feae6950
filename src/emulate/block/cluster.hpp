// Shared memory of the blocks of a cluster, and the barrier of the cluster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The index (blockIdx) of the block with this rank in a cluster of the grid.
std::array<std::uint32_t, 3> index_of_block(const launch_state& s, std::uint64_t cluster, std::uint32_t rank);

// The bytes [address, address + count) of the shared memory of a block in the cluster. Null after a fault. `what` is
// part of the fault's message, such as "a bulk copy of 64 bytes". If the bytes end in the block's last granule, but after
// its shared memory, adds the access to m.past.
std::byte* cluster_bytes(worker& m, access_direction does, std::uint32_t address, std::uint64_t count,
                         const std::string& what, int lane);
inline bool is_own(const worker& m, std::uint32_t address) { return address >> rank_shift == m.block->rank; }
// Reports a write to the cluster's shared memory by another block, or by an operation that no later instruction waits
// for.
void tell_cluster_write(worker& m, std::uint32_t address, std::uint32_t bytes, std::uint64_t pc);
// Releases the paths that wait at the barrier of the cluster if all live threads have arrived.
void release_cluster_barrier(worker& m);

}  // namespace bankwise::emulate
