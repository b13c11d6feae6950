// The findings that the entries [[ignore]] of bankwise.toml leave out:
//
//     [[ignore]]
//     finding = ["race", "BW402"]   # a number of a kind, or a word of --check
//     kernel = "scan*"              # all kernels without this key
//     line = "scan.cu:31"           # all lines without this key
//     reason = "the flag is polled"
#pragma once

#include <cstddef>
#include <vector>

#include "check/config.hpp"
#include "check/findings.hpp"
#include "model/report.hpp"

namespace bankwise::check {

// Returns the first entry that is for a finding, or null.
const ignore_entry* ignored_by(const std::vector<ignore_entry>& list, const finding& f);

// The findings that were removed from a report.
struct ignored_findings {
  std::size_t findings = 0;
  std::vector<const ignore_entry*> idle;  // the entries that left out nothing
};
// Removes what the checks of a run found, as far as an entry names it. Costs stay in the report.
ignored_findings leave_out(report& r, const std::vector<ignore_entry>& list);

}  // namespace bankwise::check
