// A report as a table, with a row for each shared-memory instruction. The table has the columns of
// data/sm_90/kernels.csv with the same names, and further columns.
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// Writes the counts of counts.def that have a column. The column executed_at_least is 1 if `executed` and `lanes` are
// lower bounds (site::executed_at_least).
std::string to_csv(const report& r);

}  // namespace bankwise
