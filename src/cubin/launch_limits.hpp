// The limits of launches: extents, threads, shared memory, registers, clusters, cooperative launches. The emulator, the
// runtime and the reader of recordings check these limits, and each prints its own messages.
#pragma once

#include <array>
#include <cstdint>

#include "cubin/occupancy.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Limits for the number of blocks in a cluster: for any kernel, and for a kernel that has requested larger clusters.
inline constexpr std::uint32_t portable_cluster_blocks = 8, most_cluster_blocks = 16;

struct launch_limits {
  std::array<std::uint32_t, 3> grid{0x7fffffff, 65535, 65535}, block{1024, 1024, 64};
  std::uint32_t threads = most_threads_a_block;
  // Limits that were set when the kernel was compiled.
  std::uint32_t kernel_threads = most_threads_a_block;  // __launch_bounds__
  std::array<std::uint32_t, 3> kernel_cluster{};        // __cluster_dims__; zeros if the kernel has none
  std::uint32_t static_shared_bytes = 0, registers = 0;
  // The GPU whose limits apply. If the GPU is unknown, this is null, and there are no limits.
  const architecture* on = nullptr;
  // Limits that the program has requested.
  std::uint64_t dynamic_shared_bytes = ~std::uint64_t{0};
  std::uint32_t cluster_blocks = portable_cluster_blocks;
};
launch_limits limits_of(const kernel& k, std::uint32_t sm);

struct launch_request {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{};  // zeros mean the size that was set when the kernel was compiled
  std::uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

// The limit that a launch exceeds. The limits are checked in the order of the enumerators.
enum class launch_limit : std::uint8_t {
  none,
  grid,
  block,
  threads,
  kernel_threads,
  dynamic_shared,  // the launch has more dynamic shared memory than the program has requested
  shared,          // a block has more shared memory than the GPU supports
  registers,       // the threads of a block need more registers than the GPU supports
  no_clusters,     // the GPU does not support clusters
  kernel_cluster,  // the size of the cluster differs from the size that was set when the kernel was compiled
  cluster,
  cluster_grid,  // the grid is not a multiple of the cluster
  cooperative,   // there are more blocks than can be resident together
};
launch_limit first_beyond(const launch_request& l, const launch_limits& most);

inline std::uint64_t threads_of(const launch_request& l) { return std::uint64_t{l.block[0]} * l.block[1] * l.block[2]; }
// Returns the number of blocks that are resident together, at least one. The launch must be within its limits.
std::uint64_t resident_blocks(const launch_request& l, const launch_limits& most);

}  // namespace bankwise::cubin
