// The table in which a patched kernel counts its accesses to shared memory. patch.cu writes the table on the device,
// and recorder.cpp reads it.
//
// A launch repeats few patterns of addresses. The table contains each pattern once. It counts how often the pattern
// occurred, with one atomic addition for each access. After the launch, the CPU computes the cost of each pattern by
// the rule.
//
//     patterns   pc, mask and the 32 addresses; accesses that are equal but shifted by whole words are one pattern
//                (copies: shifted by whole lines)
//     counts     how often each pattern occurred; divided into `shards`, so that multiprocessors do not queue for one
//                number
//     others     accesses that found no free pattern, by instruction; the device adds up their costs
//     examples   the worst accesses of `others`
//     strays     accesses of instructions that the host did not list for the device, unchanged
#pragma once

#include "bankwise/access.hpp"

namespace bankwise::record {

inline constexpr u32 least_patterns = 512, most_patterns = 8192;  // both are powers of two
inline constexpr u32 most_others = 4096;
inline constexpr u32 most_examples = 8192;
inline constexpr u32 most_strays = 1u << 14;
inline constexpr u32 most_probes = 16;
inline constexpr u32 most_waits = 1u << 12;  // largest number of polls while another warp writes a pattern
inline constexpr u32 shards = 16;

// Byte that fills patterns before a launch. No instruction has a pc that consists of this byte.
inline constexpr unsigned char poison = 0x81;
inline constexpr u32 free_pc = 0x81818181, not_ready = free_pc;
inline constexpr u32 line_bits = 127;  // mask for the bits of a global address that are the offset in a line

struct pattern {
  u32 pc;    // lower half of the instruction's pc
  u32 mask;  // mask of lanes; `not_ready` until the rest of the pattern is written
  u32 padding[14];
  u32 address[lanes_per_warp];
  u32 more_padding[16];
};
static_assert(sizeof(pattern) == 256, "patch.cu uses this size");

struct stray {
  u32 pc, mask;
  u32 address[lanes_per_warp];
  u32 source[lanes_per_warp];  // global addresses, only for cp.async
};

// The sums that are stored for accesses that found no free pattern.
enum class figure : u32 { lanes, wavefronts, ideal, reachable, passes, cycles, layout_floor, best_cycles };
inline constexpr u32 figures = 8;

struct other {
  u32 pc;     // lower half of the instruction's pc; 0 if the entry is free
  u32 worst;  // removable << 16 | wavefronts, for the worst example so far
  u64 executed;
  u64 sum[figures];
};

struct example {
  u32 pc, mask;
  u32 address[lanes_per_warp];
};

struct table_head {
  // The host sets the members from here on.
  u32 skip_blocks;   // a block is not recorded if its number has one of these bits
  u32 last_pattern;  // index of the last pattern of this launch
  u32 code_begin;    // lower half of the kernel's first pc
  u32 instructions;  // number of entries in `operations`, one for each instruction of the kernel
  const operation* operations;
  // The device sets the members from here on.
  u64 lost;      // number of accesses that are not in any part of the table
  u32 strays;    // number of strays; only the first most_strays are stored
  u32 examples;  // number of accesses that were stored as examples
  u32 others;    // number of used entries of `others`
  u32 dynamic_shared_bytes;
};

struct launch_table {
  table_head head;
  u32 padding[(256 - sizeof(table_head)) / 4];
  // Before a launch, bankwise clears the part of `counts` and `others` that the launch uses.
  u64 counts[shards * most_patterns];  // counts of each pattern; one shard follows another
  other others[most_others];
  pattern patterns[most_patterns];             // patterns, filled with `poison` before a launch
  u32 sources[most_patterns][lanes_per_warp];  // lower halves of global addresses, only for cp.async
  // The members from here on are not cleared, because unwritten entries are never read.
  example examples[most_examples];
  stray strays[most_strays];
};

}  // namespace bankwise::record
