// A report as a table, a row for each shared-memory instruction: the columns of data/sm_90/kernels.csv, in its words,
// and what they leave out.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace bankwise {

// kernel,pc,sass,source,executed,lanes,wavefronts,ideal,excess,reachable,removable,cycles,launch,grid,block,count,
// executed_at_least,ncu_wavefronts,ncu_ideal
// ncu_: what Nsight Compute's source page shows. executed_at_least: 1 where executed and lanes may be more (site::executed_at_least).
std::string to_csv(const report& r);

}  // namespace bankwise
