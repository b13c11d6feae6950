// The short names of the kernels of a report: launch_report::instance.
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// Sets the short name of each launch, so that different kernels have different names.
void name_instances(report& r);

// Returns the short name of the launch's kernel.
std::string shown_name(const launch_report& l);
// Returns the short name of a kernel of the report, of which only the full name is known.
std::string shown_name(const report& r, const std::string& full_name);

}  // namespace bankwise
