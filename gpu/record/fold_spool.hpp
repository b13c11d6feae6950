// Makes a report from the records of a process. Finds source lines in cubins, and computes costs by the rule, as for an
// emulated launch.
#pragma once

#include "model/report.hpp"
#include "spool.hpp"

namespace bankwise::record {

struct folded_spool {
  report what;
  std::vector<std::string> problems;  // messages about errors and about missing data
};

// If `with_code` is set, the report contains the code of each launched kernel, for a page. `name` is the name in
// errors. Fails if the architecture of some code is unknown, or if there are several architectures.
result<folded_spool> fold_spool(const spool& s, const std::string& name, bool with_code = false);

}  // namespace bankwise::record
