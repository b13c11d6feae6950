// Merges the launches of one program. Equal launches with equal results become one launch with a count. Launches that
// differ only in their data are added up.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// Whether the launches are equal in everything except `count`. If so, the kernel did the same in both launches.
bool same_result(const launch_report& a, const launch_report& b);

// Returns a hash, which is equal for equal launches, and quick to compute.
std::size_t outline_of(const launch_report& l);

// Finds equal launches of a report. Simple properties are compared first, because programs make up to a million
// launches.
class launch_finder {
 public:
  // Returns the index of a launch that equals `l`, or nothing if there is none.
  std::optional<std::size_t> find(const report& r, const launch_report& l) const;
  // Appends the launch, or adds it to an equal launch. Returns the index in the report.
  std::size_t add_launch(report& r, launch_report l);

 private:
  std::unordered_multimap<std::size_t, std::size_t> by_outline_;
};

// The sum of a kernel's launches that have one shape and differ only in their data. For example, 50 steps of a loop are
// shown as one launch.
struct added_launches {
  launch_report all;      // the launch with the sums of the counts; its `count` is the number of added launches
  std::size_t kinds = 1;  // number of entries in the report's list of launches that the sum contains; at least 1

  // How often `all` was launched. The counts of an added launch are sums, if its launches differ.
  std::uint64_t times() const { return kinds > 1 ? 1 : all.count; }
};
// Adds up launches, in the order of their first occurrence. If a launch has facts besides counts, it is not added to
// other launches.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
