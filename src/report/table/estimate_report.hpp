// Sentences about counts that are estimated from a sample, and about incomplete counts.
#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// Returns the possible error of the wavefronts of a launch or of several sites: "1.4%". Returns an empty string if the
// error is unknown.
std::string spread_text(const launch_report& l);
std::string spread_text(const launch_report& l, const std::vector<std::size_t>& sites);
// Returns the possible error of the sectors of a launch or of several instructions.
std::string sector_spread_text(const launch_report& l);
std::string sector_spread_text(const std::vector<const global_site*>& sites);
// Returns a text such as "wavefronts between 1,000 and 1,200, removable ones between 800 and 990", or an empty string
// if the intervals are unknown.
std::string interval_sentence(const std::vector<interval>& within);
// Returns a text such as "sectors between 90 and 120, excess ones between 10 and 30", or an empty string if the
// intervals are unknown.
std::string sector_interval_sentence(const launch_report& l);
// Returns the interval of a count, or null.
const interval* interval_of(const std::vector<interval>& within, std::string_view count);

// Returns a text such as "estimated: 12 of 40 launches from a sample; exact: the same without --time", or an empty
// string if all counts are exact.
std::string exactness_sentence(const report& r);

}  // namespace bankwise
