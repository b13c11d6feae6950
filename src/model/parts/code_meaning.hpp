// How well the meaning of a kernel's instructions is known, and whether counts depend on unmeasured instructions.
//
//     56 of 58 instructions behave as measured on a GPU, FADD2 as documented; no count depends on the unmeasured
//     instruction
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sass/meaning.hpp"

namespace bankwise {

// An instruction that was not measured on a GPU.
struct unmeasured_instruction {
  std::string name;  // for example "FADD2"
  sass::meaning level = sass::meaning::documented;
  std::uint32_t places = 0;  // how often the instruction occurs in the code
  // whether counts depend on the instruction: it determines an address in shared memory, or whether an access to shared
  // memory is executed
  bool counted_on = false;

  friend bool operator==(const unmeasured_instruction&, const unmeasured_instruction&) = default;
};

// The result for all instructions of the kernel's own code, whether executed or not.
struct code_meaning {
  std::uint32_t instructions = 0;
  std::vector<unmeasured_instruction> unmeasured;  // unmeasured instructions, sorted by name

  explicit operator bool() const { return instructions != 0; }
  friend bool operator==(const code_meaning&, const code_meaning&) = default;
};

// Returns the number of the kernel's instructions that were measured on a GPU.
inline std::uint32_t measured_of(const code_meaning& m) {
  std::uint32_t n = m.instructions;
  for (const unmeasured_instruction& one : m.unmeasured) n -= one.places;
  return n;
}

}  // namespace bankwise
