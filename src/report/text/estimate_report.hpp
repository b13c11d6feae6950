// Sentences about counts that a sample estimates, and about incomplete counts.
#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// The possible error of the wavefronts of a launch or of several sites: "1.4%". Empty if unknown.
std::string spread_text(const launch_report& l);
std::string spread_text(const launch_report& l, const std::vector<std::size_t>& sites);
// The likely error of the estimated sector counts of a launch, or of several instructions that access global memory.
std::string sector_spread_text(const launch_report& l);
std::string sector_spread_text(const std::vector<const global_site*>& sites);
// "wavefronts between 1,000 and 1,200, removable ones between 800 and 990". Empty if unknown.
std::string interval_sentence(const std::vector<interval>& within);
// "sectors between 90 and 120, excess ones between 10 and 30". Empty if unknown.
std::string sector_interval_sentence(const launch_report& l);
// The interval of a count. Null if there is no interval.
const interval* interval_of(const std::vector<interval>& within, std::string_view count);

// "estimated: 12 of 40 launches from a sample; exact: the same without --time". Empty if all counts are exact.
std::string exactness_sentence(const report& r);

}  // namespace bankwise
