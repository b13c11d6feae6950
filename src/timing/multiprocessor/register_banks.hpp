// The banks of the register file of a quarter, and its cache of operands. One bank has the registers with even numbers,
// and the second bank has those with odd numbers.
#pragma once

#include <array>
#include <cstdint>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise::timing {

class register_banks {
 public:
  // Reads the registers of an instruction that is issued at `at`. Returns the clocks for which the next instruction
  // waits for registers. `follows`: whether the same warp issued the instruction before.
  double read(const instruction_cost& c, bool follows, double at, const gpu_parameters& p);

 private:
  std::array<double, 2> free_{};        // time from which each bank is free
  std::array<std::uint8_t, 6> kept_{};  // registers in the cache of operands, by operand and bank
};

}  // namespace bankwise::timing
