// Finds straight runs: sequences of instructions that lanes enter only at the first instruction, and leave only after
// the last. An analysis of the flow then keeps one state for each run instead of one for each instruction.
//
//     0x00  ISETP P0, ...          first run
//     0x10  @P0 BRA 0x40           the run ends, because two instructions can follow
//     0x20  IADD3 ...              second
//     0x30  STS ...
//     0x40  EXIT                   third: two paths join
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class straight_runs {
 public:
  explicit straight_runs(const code_flow& code) : of_(code.nodes.size(), none) {
    if (code.order.empty()) return;
    std::vector<bool> begins(code.nodes.size()), is_entered(code.nodes.size());
    begins[code.entry] = true;
    for (const std::uint32_t n : code.order)
      for (const std::uint32_t to : code.nodes[n].next) {
        if (is_entered[to] || code.nodes[n].next.size() != 1) begins[to] = true;
        is_entered[to] = true;
      }
    for (const std::uint32_t n : code.order)
      if (begins[n]) add(code, n, begins);
    // The remaining instructions are in loops that no edge enters from outside.
    for (const std::uint32_t n : code.order)
      if (of_[n] == none) add(code, n, begins);
  }

  std::size_t size() const { return all_.size(); }
  const std::vector<std::uint32_t>& operator[](std::size_t k) const { return all_[k]; }
  std::uint32_t of(std::uint32_t instruction) const { return of_[instruction]; }
  bool is_last(std::uint32_t instruction) const { return all_[of_[instruction]].back() == instruction; }

 private:
  static constexpr std::uint32_t none = ~0u;

  void add(const code_flow& code, std::uint32_t first, const std::vector<bool>& begins) {
    std::vector<std::uint32_t>& all = all_.emplace_back();
    for (std::uint32_t n = first; of_[n] == none && (n == first || !begins[n]); n = code.nodes[n].next[0]) {
      all.push_back(n);
      of_[n] = static_cast<std::uint32_t>(all_.size() - 1);
      if (code.nodes[n].next.size() != 1) break;
    }
  }

  std::vector<std::vector<std::uint32_t>> all_;
  std::vector<std::uint32_t> of_;  // for each instruction, the number of its run
};

}  // namespace bankwise::sass
