// The cost of a layout: every access of a problem, counted by the rule at its address in the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "advise/problem.hpp"
#include "advise/search/relayout.hpp"
#include "rule/fast_rule.hpp"

namespace bankwise::advise {

// Every access of a problem, prepared to be counted in many layouts. Equal accesses of a group are combined.
class evaluator {
 public:
  explicit evaluator(const problem& p);

  // Weighted wavefronts of all accesses. If they exceed `limit`, it stops early and returns a larger number.
  std::uint64_t wavefronts(const relayout& layout, std::uint64_t limit = ~std::uint64_t{0});
  // The same for each group.
  std::vector<std::uint64_t> by_group(const relayout& layout);
  // The lower bounds by group: of all layouts (layout_floor), and of layouts that keep granules together.
  const std::vector<std::uint64_t>& floor_by_group() const { return floor_by_group_; }
  std::uint64_t floor() const { return floor_; }
  std::uint64_t granule_floor() const { return granule_floor_; }
  u32 granule() const { return granule_; }
  // Accesses evaluated so far. They measure the effort, in the same way on every machine.
  std::uint64_t judged() const { return judged_; }
  const std::vector<weighted_access>& accesses() const { return accesses_; }

 private:
  // The access with its addresses in the current layout.
  void place(std::size_t index, access& to) const;
  void map_granules(const relayout& layout);

  fast_rule cost_of_;  // a copy, because the problem may no longer exist
  u32 granule_ = 1;
  std::size_t groups_ = 0;
  std::vector<weighted_access> accesses_;  // those with the largest possible loss first
  std::vector<std::uint64_t> rest_floor_;  // lower bound of this access and all later ones
  std::vector<u32> granules_;              // offsets of accessed granules
  std::vector<u32> moved_;                 // their offsets in the current layout
  std::vector<u32> id_;                    // 32 for each access: index of the lane's granule
  std::vector<std::uint64_t> floor_by_group_;
  std::uint64_t floor_ = 0, granule_floor_ = 0, judged_ = 0;
};

// The fewest wavefronts of one access in any layout that keeps `granule` bytes together: a bank that has one word of a
// granule has the same word of all its granules.
u32 granule_floor(const access& a, const bank_model& m, u32 granule);

}  // namespace bankwise::advise
