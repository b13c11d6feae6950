// A report as a table, a row for each shared-memory instruction: the columns of data/sm_90/kernels.csv, in its words,
// and what they leave out.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace bankwise {

// kernel,pc,sass,source,executed,lanes,wavefronts,ideal,excess,reachable,removable,cycles,launch,grid,block,count,
// executed_at_least,partial,queued,shared_executed,shared_lanes,ncu_wavefronts,ncu_ideal
// executed_at_least: 1 where executed and lanes may be more (site::executed_at_least). shared_: empty but for generic accesses.
// ncu_: what Nsight Compute's source page shows.
std::string to_csv(const report& r);

}  // namespace bankwise
