// What a report says about the timeline of a program: how long it takes, and what it waits for.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns "about 1.35 ms on an H100 SXM, which is busy for 48% of it. The program waits for launch overhead (62%) ...".
// Returns an empty string if the report has no timeline, or if no launch of the program has a predicted time.
std::string timeline_sentence(const report& r);
// Returns the longest parts of the critical path as a table, or an empty string.
std::string critical_path_table(const report& r, const style& s);

}  // namespace bankwise
