// Merges several reports. Launches keep their order. Equal launches become one launch with a count.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

struct named_report {
  std::string name;  // name of the file
  report what;
};

// Fails if the architectures of the reports differ, or if some reports are emulated and some recorded.
result<report> merge_reports(std::vector<named_report> reports);

}  // namespace bankwise
