// A report as a table, a row for each shared-memory instruction: the columns of data/sm_90/kernels.csv, in its words,
// and what they leave out.
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// The counts are those of counts.def that have a column. executed_at_least: 1 where executed and lanes may be more
// (site::executed_at_least).
std::string to_csv(const report& r);

}  // namespace bankwise
