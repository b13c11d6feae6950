// Merges several reports: launches stay in order, and completely equal ones become one with a count.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

struct named_report {
  std::string name;  // of its file
  report what;
};

// Refuses reports of different architectures, and emulated ones with recorded ones.
result<report> merge_reports(std::vector<named_report> reports);

}  // namespace bankwise
