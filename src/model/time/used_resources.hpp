// The resources of predicted_time::use, in the order in which reports list them. sm is the higher of issue and
// pipes. memory is the highest of l1, l2 and dram.
#pragma once

#include <array>
#include <string_view>

namespace bankwise {

inline constexpr std::array<std::string_view, 7> used_resources{"sm", "memory", "issue", "pipes", "l1", "l2", "dram"};

}  // namespace bankwise
