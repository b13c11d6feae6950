// How many thread blocks fit on one multiprocessor: padding that enlarges a block's shared memory may reduce this
// number.
//
//     sm_90, blocks of 256 threads, 64 registers a thread, 33 KiB of shared memory
//
//     threads      8 warps of 64 a block                                      8 blocks
//     registers    64 * 32 = 2,048 a warp; 16,384 a quarter, 8 warps each     4 blocks  <- by
//     shared       33 KiB + 1 KiB of the system's, of 228 KiB                 6 blocks
//
// It assumes the split between L1 cache and shared memory that has the most shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cubin/architectures.hpp"

namespace bankwise::cubin {

inline constexpr std::uint32_t most_threads_a_block = 1024;

// The multiprocessor of "sm_90", "sm_90a", "sm_35.8", or null.
const multiprocessor* find_multiprocessor(std::string_view arch_name);

struct resources {
  std::uint32_t threads = 0;             // of a block
  std::uint32_t registers_a_thread = 0;  // 0 if unknown: then there is no limit
  // for each block, static and dynamic, without the part that the system reserves
  std::uint32_t shared_bytes = 0;
};

enum class limit : std::uint8_t { threads, blocks, registers, shared };

struct occupancy {
  std::uint32_t blocks = 0;  // 0 if not even one block fits
  // the resource that limits it; if there are several, the first in this order: `shared` only if only less shared
  // memory would help
  limit by = limit::threads;

  friend bool operator==(const occupancy&, const occupancy&) = default;
};

// Shared memory may reach the opt-in limit. Nothing if the compute capability is not in the table.
std::optional<occupancy> blocks_per_multiprocessor(std::string_view arch_name, const resources& block);
occupancy blocks_per_multiprocessor(const multiprocessor& m, const resources& block);

std::string_view name_of(limit l);

}  // namespace bankwise::cubin
