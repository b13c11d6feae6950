// Sequences of instructions that lanes enter only at the first instruction, and where they diverge or end only at the
// last. The execution of all instructions in a stretch is decided by the same condition.
//
//     0x00  ISETP P0, ...          first stretch
//     0x10  @P0 BRA 0x40           second: a branch has its own
//     0x20  IADD3 ...              third
//     0x30  STS ...
//     0x40  EXIT                   fourth: two paths join
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"
#include "sass/flow/deciders.hpp"

namespace bankwise::sass {

class stretches {
 public:
  stretches(const code_flow& code, const deciders& decided);

  // In the order of the code.
  std::size_t size() const { return all_.size(); }
  const std::vector<std::uint32_t>& operator[](std::size_t k) const { return all_[k]; }
  std::uint32_t of(std::uint32_t instruction) const { return of_[instruction]; }

 private:
  static constexpr std::uint32_t none = ~0u;

  void add(const code_flow& code, std::uint32_t first, const std::vector<bool>& begins);

  std::vector<std::vector<std::uint32_t>> all_;
  std::vector<std::uint32_t> of_;  // by instruction
};

}  // namespace bankwise::sass
