// Launches of one program: equal ones with equal results become one, with a count.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/profile.hpp"

namespace bankwise {

// Everything but the count: a kernel that did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// Behind the others, or into the one that it repeats. Which of the report's launches it is then.
std::size_t add_launch(report& r, launch_report l);

// Launches of one kernel with one shape that differ only in their data, added up: 50 steps of a loop are read as one thing.
struct added_launches {
  launch_report all;      // of several: the counts of all of them together, and `count` is how many there were
  std::size_t kinds = 1;  // launches of the report that it is made of; 1: that launch as it is
};
// In the order of first occurrence. Launches of which more is said than counts stand for themselves.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
