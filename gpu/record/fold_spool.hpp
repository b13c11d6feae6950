// Makes a report from the records of a process. Reads lines from cubins and computes costs by the rule, as for an
// emulated launch.
#pragma once

#include "model/report.hpp"
#include "spool.hpp"

namespace bankwise::record {

struct folded_spool {
  report what;
  std::vector<std::string> problems;  // messages about errors and missing data
};

// `with_code`: also the code of each launched kernel, for a page. `name` is for errors: code for an unknown
// architecture, or for several.
result<folded_spool> fold_spool(const spool& s, const std::string& name, bool with_code = false);

}  // namespace bankwise::record
