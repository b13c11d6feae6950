// Sentences about counts that a sample estimates, and about incomplete ones.
#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

// "1.4%": the possible error of the wavefronts of a launch or of several sites; empty if unknown.
std::string spread_text(const launch_report& l);
std::string spread_text(const launch_report& l, const std::vector<std::size_t>& sites);
// The same for the sectors of a launch, or of several instructions on global memory.
std::string sector_spread_text(const launch_report& l);
std::string sector_spread_text(const std::vector<const global_site*>& sites);
// "wavefronts between 1,000 and 1,200, removable ones between 800 and 990"; empty if not known.
std::string interval_sentence(const std::vector<interval>& within);
// "sectors between 90 and 120, excess ones between 10 and 30"; empty if not known.
std::string sector_interval_sentence(const launch_report& l);
// The interval of this count; nothing if there is none.
const interval* interval_of(const std::vector<interval>& within, std::string_view count);

// "estimated: 12 of 40 launches from a sample; exact: the same without --time"; empty if all are exact.
std::string exactness_sentence(const report& r);

}  // namespace bankwise
