// Makes a report from the records of a process, with the same reader of cubins for the lines and the same rule for the
// costs.
#pragma once

#include "model/report.hpp"
#include "spool.hpp"

namespace bankwise::record {

struct folded_spool {
  report what;
  std::vector<std::string> problems;  // messages: what went wrong, or is missing
};

// `with_code`: for each kernel of the launches, for a page. `name` is for errors: code for an unknown architecture, or
// for several.
result<folded_spool> fold_spool(const spool& s, const std::string& name, bool with_code = false);

}  // namespace bankwise::record
