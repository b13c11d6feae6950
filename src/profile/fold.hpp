// Launches of one program: equal ones with equal results become one, with a count.
#pragma once

#include <cstddef>

#include "profile/profile.hpp"

namespace bankwise {

// Everything but the count: a kernel that did the same again.
bool same_result(const launch_report& a, const launch_report& b);

// Behind the others, or into the one that it repeats. Which of the report's launches it is then.
std::size_t add_launch(report& r, launch_report l);

}  // namespace bankwise
