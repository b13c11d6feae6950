// Basic blocks and strands of machine code. A strand is a piece of a block whose instructions are issued equally often.
//
//                                        block  strand
//     0x000  @P0 BRA 0x50                  0      0
//     0x010      STS [R2], R0              1      1     lanes enter a block at its first instruction and
//     0x020      BAR.SYNC 0x0              1      1     leave it after its last: they execute all of it
//     0x030  @P1 LDS R4, [R3]              1      3     in a strand, no lanes wait for others: each
//     0x040      BSYNC B0                  1      3     instruction is issued equally often, by the same lanes
//     0x050      EXIT                      5      5
//
// Lanes that are together at one instruction of a block stay together until the end of the block.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"
#include "sass/isa.hpp"

namespace bankwise::sass {

// For an instruction: the first instruction of its block, and the first instruction of its strand.
struct straight_code {
  std::vector<std::uint32_t> block, strand;
  std::vector<bool> is_target;  // whether the instruction is the target of a jump
};

// Divides code into blocks and strands. `address` is the address of the code's first byte, as the code's jumps count
// it. If the code has a jump to a computed address or an unknown instruction, each instruction becomes its own block.
straight_code basic_blocks(byte_span code, isa set, std::uint64_t address = 0);

// Returns the offset at which a loop begins, if the instruction at offset `at` jumps back to it. Every backward jump
// makes a loop.
std::optional<std::uint64_t> loop_begin(const instruction& i, std::uint64_t at);
// Returns the innermost loop around the instruction at `offset`. The result contains the offsets of the loop's first
// and last instruction.
std::optional<std::pair<std::uint64_t, std::uint64_t>> loop_around(byte_span code, isa set, std::uint64_t offset);

}  // namespace bankwise::sass
