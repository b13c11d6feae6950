// A report as a table, with a row for each shared-memory instruction. The table has all columns of
// data/sm_90/kernels.csv under the same names, and additional columns.
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// Writes every count of counts.def that has a column. The column executed_at_least is 1 if `executed` and `lanes` are
// lower bounds (site::executed_at_least).
std::string to_csv(const report& r);

}  // namespace bankwise
