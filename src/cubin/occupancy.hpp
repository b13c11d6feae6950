// The number of thread blocks that fit on one multiprocessor. Padding enlarges a block's shared memory, and may reduce
// this number.
//
//     sm_90, blocks of 256 threads, 64 registers a thread, 33 KiB of shared memory
//
//     threads      8 of 64 warps per block                                     8 blocks
//     registers    64 * 32 = 2,048 per warp; 16,384 a quarter: 8 warps each    4 blocks  <- limit
//     shared       33 KiB + 1 KiB for the system, of 228 KiB                   6 blocks
//
// The calculation assumes the split between L1 cache and shared memory that gives shared memory the most bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cubin/architectures.hpp"

namespace bankwise::cubin {

inline constexpr std::uint32_t most_threads_a_block = 1024;

// Returns the multiprocessor of an architecture such as "sm_90", "sm_90a" or "sm_35.8". Returns null if the
// architecture is unknown.
const multiprocessor* find_multiprocessor(std::string_view arch_name);

struct resources {
  std::uint32_t threads = 0;             // number of threads of a block
  std::uint32_t registers_a_thread = 0;  // 0 if unknown, which means no limit
  // static and dynamic bytes of a block, without the part that the system reserves
  std::uint32_t shared_bytes = 0;
};

enum class limit : std::uint8_t { threads, blocks, registers, shared };

struct occupancy {
  std::uint32_t blocks = 0;  // 0 if not even one block fits
  // The resource that limits the number of blocks. If several resources limit it, this is the first of them in the
  // order of the enum. If this is `shared`, only less shared memory would allow more blocks.
  limit by = limit::threads;

  friend bool operator==(const occupancy&, const occupancy&) = default;
};

// Returns the number of blocks that fit. A block may use shared memory up to the opt-in limit. Returns nothing if the
// compute capability is unknown.
std::optional<occupancy> blocks_per_multiprocessor(std::string_view arch_name, const resources& block);
occupancy blocks_per_multiprocessor(const multiprocessor& m, const resources& block);

std::string_view name_of(limit l);

}  // namespace bankwise::cubin
