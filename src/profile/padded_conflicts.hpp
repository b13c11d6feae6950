// How many wavefronts of bank conflicts a layout can remove, where addresses depend on data. No layout is right for all
// data, so the best of a few paddings counts, for the accesses that were recorded.
//
//     ++counter[thread * 16 + class_of[i]]     after each 16 words, one word more: lanes are in different banks
//     kept[offset_of[i]] = item                no padding helps
#pragma once

#include <cstdint>
#include <vector>

#include "expr/names/machine_names.hpp"
#include "model/launch.hpp"

namespace bankwise {

// Returns the number for each site of the launch: removable(s), or less if its addresses depend on data. A site without
// recorded accesses keeps removable(s).
std::vector<std::uint64_t> removable_by_padding(const launch_report& l, const machine& on);

}  // namespace bankwise
