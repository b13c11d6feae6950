// The cost of a layout. The rule counts every access of a problem at its address in the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "advise/search/problem.hpp"
#include "advise/search/relayout.hpp"
#include "rule/fast_rule.hpp"

namespace bankwise::advise {

// All accesses of a problem, prepared for counting them in many layouts. Equal accesses of a group are combined.
class evaluator {
 public:
  explicit evaluator(const problem& p);

  // Returns the weighted wavefronts of all accesses. If the sum exceeds `limit`, stops early and returns a number above
  // the limit.
  std::uint64_t wavefronts(const relayout& layout, std::uint64_t limit = ~std::uint64_t{0});
  // Returns the weighted wavefronts of each group.
  std::vector<std::uint64_t> by_group(const relayout& layout);
  // Lower bounds for all layouts (layout_floor), for each group and for all groups together. granule_floor() is the
  // lower bound for layouts that keep granules together.
  const std::vector<std::uint64_t>& floor_by_group() const { return floor_by_group_; }
  std::uint64_t floor() const { return floor_; }
  std::uint64_t granule_floor() const { return granule_floor_; }
  u32 granule() const { return granule_; }
  // Number of counted accesses. It measures the effort, and is the same on every machine.
  std::uint64_t judged() const { return judged_; }
  const std::vector<weighted_access>& accesses() const { return accesses_; }

 private:
  // Sets the addresses of an access to the addresses in the layout. `moved_` keeps the offsets of granules until
  // begin_layout() is called for the next layout: many layouts are rejected after their first accesses.
  void begin_layout();
  void place(const relayout& layout, std::size_t index, access& to);

  fast_rule cost_of_;  // a copy, because the evaluator may outlive the problem
  u32 granule_ = 1;
  std::size_t groups_ = 0;
  std::vector<weighted_access> accesses_;  // the accesses, sorted by their possible loss; the largest loss is first
  std::vector<std::uint64_t> rest_floor_;  // for each access: lower bound of this access and all later accesses
  std::vector<u32> granules_;              // offsets of the accessed granules in the unchanged array
  std::vector<u32> moved_;                 // offsets of these granules in the current layout
  std::vector<u32> moved_in_;              // for each granule: the layout of its offset in `moved_`
  u32 layout_ = 0;                         // number of the current layout
  std::vector<u32> id_;                    // 32 values for each access: the index of each lane's granule
  std::vector<std::uint64_t> floor_by_group_;
  std::uint64_t floor_ = 0, granule_floor_ = 0, judged_ = 0;
};

// Returns a lower bound of the wavefronts of an access, for all layouts that keep `granule` bytes together.
u32 granule_floor(const access& a, const bank_model& m, u32 granule);

}  // namespace bankwise::advise
