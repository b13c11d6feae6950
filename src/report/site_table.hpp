// A report as a table, a row for each shared-memory instruction: the columns of data/sm_90/kernels.csv, in its words,
// and what they leave out.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace bankwise {

// kernel,pc,sass,source,executed,lanes,wavefronts,ideal,excess,reachable,removable,cycles,launch,grid,block,count
std::string to_csv(const report& r);

}  // namespace bankwise
