// Compiles a run of instructions to machine code.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The vector registers for which code is made.
enum class vector_kind : std::uint8_t {
  none,    // no code is made
  avx2,    // 8 lanes
  avx512,  // 16
};
vector_kind best_vectors(instruction_use use);

struct compiled_piece {
  std::vector<std::uint8_t> code;  // may be anywhere
  std::uint32_t count = 0;         // instructions; 0 if there is nothing to compile
};
// Compiles from `begin` to the next jump, or 512 instructions. `whole`: for paths of 32 lanes.
compiled_piece compile(const decoded_section& section, std::size_t begin, vector_kind kind, bool whole);

}  // namespace bankwise::emulate
