// Straight pieces of machine code: which instructions are issued equally often.
//
//                                        block  strand
//     0x000  @P0 BRA 0x50                  0      0
//     0x010      STS [R2], R0              1      1     a block is entered at its first instruction and left after its last:
//     0x020      BAR.SYNC 0x0              1      1     each thread that enters executes all of it
//     0x030  @P1 LDS R4, [R3]              1      3     in a strand no lanes wait for others: each instruction is issued
//     0x040      BSYNC B0                  1      3     as often as the next, with the same lanes
//     0x050      EXIT                      5      5
//
// If all lanes of a warp are together at one instruction of a block, they stay together to its end, even if they wait.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "sass/isa.hpp"

namespace bankwise::sass {

// For each instruction, the first instruction of its block and of its strand.
struct straight_code {
  std::vector<std::uint32_t> block, strand;
  std::vector<bool> is_target;  // targets of jumps: lanes can come there from elsewhere
};

// `address` is that of the first byte, as immediate addresses in the code contain it. Code that is not understood is
// split: if it has a jump to a computed address, or an unknown instruction, each instruction is its own block.
straight_code basic_blocks(byte_span code, isa set, std::uint64_t address = 0);

// The innermost loop around the instruction at `offset`, found from jumps back: the offsets of its first and its last
// instruction. `code` is the result of basic_blocks().
std::optional<std::pair<std::uint64_t, std::uint64_t>> loop_around(byte_span code, isa set, std::uint64_t offset);

}  // namespace bankwise::sass
