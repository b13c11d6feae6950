// Compiles consecutive instructions to machine code.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The size of the vector registers that the generated code uses.
enum class vector_kind : std::uint8_t {
  none,
  avx2,    // 8 lanes
  avx512,  // 16 lanes
};
vector_kind best_vectors(instruction_use use);

struct compiled_piece {
  std::vector<std::uint8_t> code;  // the code does not depend on its address
  std::uint32_t count = 0;         // number of instructions; 0 if nothing can be compiled
};
// Compiles the instructions from `begin` to the next jump, but at most 512 instructions, and only instructions before
// `end`. `whole`: whether only paths with 32 lanes use the code.
compiled_piece compile(const decoded_section& section, std::size_t begin, std::size_t end, vector_kind kind,
                       bool whole);

}  // namespace bankwise::emulate
