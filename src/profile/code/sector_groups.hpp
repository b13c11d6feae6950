// Which instructions of a warp touch the same sectors of global memory: members of a struct, or elements of an unrolled loop.
//
//     a[t].x, a[t].y, a[t].z of float3     3 instructions of 12 sectors each: 36 sectors, 12 of them distinct
#pragma once

#include <vector>

#include "model/global_site.hpp"
#include "profile/global_counts.hpp"

namespace bankwise {

// Sets the group of each site. `first`: the first access of each site, in the order of the sites. Two instructions of one kind are
// in one group if the same warp of the same block executes them first, and half of the sectors of the smaller access are shared.
void find_sector_groups(std::vector<global_site>& sites, const std::vector<const global_tally::first_access*>& first);

}  // namespace bankwise
