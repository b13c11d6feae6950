// What a kernel's code does with a value that an instruction puts into a register: nothing, only stores it, or computes
// with it. A wide load or a copy of a struct also loads bytes that nothing needs.
//
//     LDG.E.128 R4, [R2.64]      R4 and R5 are computed with, R6 is only stored, R7 is not used
//     FADD R8, R4, R5
//     STG.E.64 [R10.64], R6      (R7 is also stored: padding of a struct)
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "cubin/program.hpp"
#include "sass/flow/code_flow.hpp"

namespace bankwise {

// Each bit stands for a word of 4 bytes.
struct value_uses {
  std::uint32_t anywhere = 0, computed = 0;
  std::uint32_t entirely = 0;  // a computation needs all bytes of the word, and does not take single bytes out
};

class loaded_values {
 public:
  loaded_values(const cubin::program& p, const cubin::kernel& k) : program_(p), kernel_(k) {}

  // The uses of the words that the load at this device address loads. If the code is not known, each word may be stored,
  // but is not computed with. `local`: whether stores to local memory do not count.
  value_uses of_load(std::uint64_t pc, bool local);
  // Whether code that certainly follows the shuffle at this address computes with its result in every lane.
  bool is_result_needed(std::uint64_t pc);
  // Whether the code after one instruction can come to another.
  bool comes_to(std::uint64_t from, std::uint64_t to);
  // Whether code that follows a barrier, and does not come back to it, is also reached on a way around the barrier. The
  // end alone does not count, because ptxas often lets all ways end at one instruction.
  bool has_work_after_both_ways(std::uint64_t barrier);
  // Whether the code after an instruction can come to a loop.
  bool loops_after(std::uint64_t pc);

 private:
  const sass::code_flow* flow_at(std::uint64_t pc, std::size_t& node);

  const cubin::program& program_;
  const cubin::kernel& kernel_;
  std::unique_ptr<sass::code_flow> flow_;
};

}  // namespace bankwise
