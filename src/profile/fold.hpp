// Launches of one program: equal ones with equal results become one, with a count.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "profile/profile.hpp"

namespace bankwise {

// Everything but the count: a kernel that did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// A report's launches by what is quickly told of them: programs make a million.
class launch_finder {
 public:
  // Which one it repeats.
  std::optional<std::size_t> find(const report& r, const launch_report& l) const;
  // Behind the others, or into the one that it repeats. Which of the report's launches it is then.
  std::size_t add(report& r, launch_report l);

 private:
  std::unordered_multimap<std::size_t, std::size_t> by_outline_;
};

}  // namespace bankwise
