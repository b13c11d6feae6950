// Launches of one program: equal ones with equal results become one, with a count; those that differ in their data are
// added up.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// Everything but the count: a kernel that did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// A hash that launches share if they are the same, quick to compute.
std::size_t outline_of(const launch_report& l);

// A report's launches, indexed by properties that are fast to compare: programs make a million launches.
class launch_finder {
 public:
  // Which one it repeats.
  std::optional<std::size_t> find(const report& r, const launch_report& l) const;
  // Appends the launch, or adds it to the one that it repeats. Returns the index of this launch in the report.
  std::size_t add_launch(report& r, launch_report l);

 private:
  std::unordered_multimap<std::size_t, std::size_t> by_outline_;
};

// Launches of one kernel with one shape that differ only in their data, added up: 50 steps of a loop are shown as one
// launch.
struct added_launches {
  launch_report all;      // for several launches: their counts added up; `count` is how many there were
  std::size_t kinds = 1;  // how many launches of the report it consists of; 1 for an unchanged launch
};
// In the order of first occurrence. A launch with facts other than its counts is not merged.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
