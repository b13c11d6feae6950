// The kernels of a report that -k selects. All verbs read -k in the same way.
#pragma once

#include <set>
#include <string>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct selected_kernels {
  std::set<std::string> mangled, full;  // their names

  bool has(const launch_report& l) const { return mangled.contains(l.mangled); }
};
// Returns the kernels that a pattern selects among those that were launched, or whose launches failed. There is at least
// one, except with `may_be_none`. `file` is for errors.
result<selected_kernels> select_kernels(const report& r, const std::string& file, const std::string& pattern,
                                        bool may_be_none = false);

}  // namespace bankwise::cli
