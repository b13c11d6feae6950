// Finds instructions of a warp that touch the same sectors of global memory. Examples are loads of a struct's members,
// and of an unrolled loop's elements.
//
//     a[t].x, a[t].y, a[t].z of float3     3 instructions of 12 sectors each: 36 sectors, 12 of them distinct
#pragma once

#include <vector>

#include "model/global_site.hpp"
#include "profile/global_counts.hpp"

namespace bankwise {

// Sets the group of each site. `first` contains the first access of each site, in the order of the sites. Two
// instructions of one kind are in one group if the same warp executed their first accesses, and if these accesses share
// enough sectors. Enough is at least half of the sectors of the smaller access.
void find_sector_groups(std::vector<global_site>& sites, const std::vector<const global_tally::first_access*>& first);

}  // namespace bankwise
