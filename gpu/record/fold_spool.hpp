// From what a recorded process left to a report: the same reader of cubins gives the lines, the same rule the costs.
#pragma once

#include "model/report.hpp"
#include "spool.hpp"

namespace bankwise::record {

struct folded_spool {
  report what;
  std::vector<std::string> problems;  // to tell: what went wrong, or is missing
};

// `with_code`: of each kernel of the launches, for a page. `name` is for errors: code for an architecture that is not
// known, or for several.
result<folded_spool> fold_spool(const spool& s, const std::string& name, bool with_code = false);

}  // namespace bankwise::record
