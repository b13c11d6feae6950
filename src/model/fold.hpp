// Merges the launches of one program: equal ones with equal results become one, with a count; those that differ in
// their data are added up.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// Whether everything except the count is equal: the kernel did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// A hash that equal launches share, which is quick to compute.
std::size_t outline_of(const launch_report& l);

// Finds equal launches of a report by properties that are quick to compare, because programs make a million launches.
class launch_finder {
 public:
  // The index of the launch that this one repeats; nothing if there is none.
  std::optional<std::size_t> find(const report& r, const launch_report& l) const;
  // Appends the launch, or adds it to the one that it repeats. Returns the index in the report.
  std::size_t add_launch(report& r, launch_report l);

 private:
  std::unordered_multimap<std::size_t, std::size_t> by_outline_;
};

// Launches of one kernel with one shape that differ only in their data, added up: 50 steps of a loop are shown as one
// launch.
struct added_launches {
  launch_report all;      // for several launches, the sums of their counts; `count` is the number of launches
  std::size_t kinds = 1;  // how many launches of the report it consists of; 1 for an unchanged launch
};
// In the order of first occurrence. A launch with facts other than its counts is not merged.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
