// Merges the launches of one program. Equal launches with equal results become one launch with a count. Launches that
// differ only in their data are added up.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// Whether everything except the count is equal, so that the kernel did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// A hash that is equal for equal launches. It is quick to compute.
std::size_t outline_of(const launch_report& l);

// Finds equal launches of a report by properties that are quick to compare, because programs make up to a million
// launches.
class launch_finder {
 public:
  // The index of a launch that does the same as `l`. Nothing if there is none.
  std::optional<std::size_t> find(const report& r, const launch_report& l) const;
  // Appends the launch, or adds it to a launch that does the same. Returns the index in the report.
  std::size_t add_launch(report& r, launch_report l);

 private:
  std::unordered_multimap<std::size_t, std::size_t> by_outline_;
};

// The sum of launches of one kernel with one shape that differ only in their data. For example, 50 steps of a loop are
// shown as one launch.
struct added_launches {
  launch_report all;      // for several launches, their counts are added; `count` is the number of launches
  std::size_t kinds = 1;  // number of the report's launches that were added; 1 for an unchanged launch
};
// Adds up launches, in the order of their first occurrence. A launch that has facts other than counts is not added to
// others.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
