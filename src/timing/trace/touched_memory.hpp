// The bytes of global memory that the recorded blocks of a launch access, each counted once, and an estimate of these
// bytes for the whole launch.
//
//     1,056 of 65,536 blocks   bytes of all of them     of the first 528     the launch
//     x                        1,081,344                540,672              64 MiB: each block accesses other bytes
//     table                       65,536                 65,536              64 KiB: the blocks access the same bytes
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace bankwise::timing {

// A bit for each byte of a line of 128 bytes.
struct line_bytes {
  std::array<std::uint64_t, 2> bits;

  void add(unsigned first, unsigned count) {
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned from = first > 64 * half ? first - 64 * half : 0,
                     to = first + count > 64 * half ? first + count - 64 * half : 0;
      if (from < 64 && from < to) bits[half] |= ~std::uint64_t{0} >> (64 - (to < 64 ? to : 64)) >> from << from;
    }
  }
  void add(const line_bytes& more) { bits[0] |= more.bits[0], bits[1] |= more.bits[1]; }
  line_bytes without(const line_bytes& less) const { return {{bits[0] & ~less.bits[0], bits[1] & ~less.bits[1]}}; }
  unsigned count() const { return static_cast<unsigned>(std::popcount(bits[0]) + std::popcount(bits[1])); }
};

// What a block accesses in a line.
struct line_of_block {
  line_bytes read{};  // bytes that the block reads before it has written them
  line_bytes written{};
  unsigned sectors = 0;    // sectors that launch_trace::touched has
  std::uint32_t at = ~0u;  // instructions that the block executed before the first access
};

// What a block accessed while it was recorded.
struct memory_of_block {
  std::uint64_t linear = 0;
  std::uint64_t instructions = 0;                                           // that the block executed meanwhile
  bool is_cut = false;                                                      // whether the block executed more than this
  const std::unordered_map<std::uint64_t, line_of_block>* lines = nullptr;  // by line
};

// Distinct bytes.
struct distinct_bytes {
  double all = 0;
  double of_first = 0;  // accessed by the first half of the blocks
  double early = 0;     // accessed in the first half of the recorded instructions of a block
};

// The distinct bytes in one allocation.
struct touched_region {
  double allocated = 0;  // bytes of the allocation; infinite if it is not known
  bool of_host = false;
  distinct_bytes read, written;
};

struct touched_memory {
  std::vector<touched_region> regions;
  // the recorded blocks, the instructions that they executed meanwhile, and the part of the first half of the blocks
  std::uint64_t blocks = 0, first_blocks = 0, instructions = 0, first_instructions = 0;
  bool is_cut = false;      // whether some blocks executed more instructions
  bool is_sampled = false;  // whether the bytes were counted only in some lines
};

// An allocation of memory.
struct allocation {
  std::uint64_t address = 0, bytes = 0;
  bool of_host = false;
};
// Adds up what blocks access. `blocks` must be evenly spaced in a part of the grid. `find` returns the allocation that
// contains an address, or one without bytes.
touched_memory touched_memory_of(std::vector<memory_of_block> blocks,
                                 const std::function<allocation(std::uint64_t)>& find);

// The bytes that all blocks of a launch access, each counted once.
struct needed_bytes {
  double read = 0, written = 0;
  double read_of_host = 0, written_of_host = 0;
  bool is_estimated = false;
};
// Later blocks are assumed to access as many new bytes as the second half of the recorded blocks, and likewise the
// instructions after the recorded ones. An estimate is never larger than the allocation. `instructions`: of all blocks of
// the launch; 0 if unknown.
needed_bytes needed_bytes_of(const touched_memory& m, std::uint64_t blocks, std::uint64_t instructions);

}  // namespace bankwise::timing
