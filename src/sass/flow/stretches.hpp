// Finds stretches: sequences of instructions that are executed under the same condition. Lanes enter a stretch only at
// its first instruction. Lanes diverge or end only at the last instruction of a stretch.
//
//     0x00  ISETP P0, ...          first stretch
//     0x10  @P0 BRA 0x40           second: a branch is a stretch of its own
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

  // in the order of the code
  std::size_t size() const { return all_.size(); }
  const std::vector<std::uint32_t>& operator[](std::size_t k) const { return all_[k]; }
  std::uint32_t of(std::uint32_t instruction) const { return of_[instruction]; }

 private:
  static constexpr std::uint32_t none = ~0u;

  void add(const code_flow& code, std::uint32_t first, const std::vector<bool>& begins);

  std::vector<std::vector<std::uint32_t>> all_;
  std::vector<std::uint32_t> of_;  // for each instruction, the number of its stretch
};

}  // namespace bankwise::sass
