// Sentences about counts that are estimated from a sample, and about incomplete counts.
#pragma once

#include <string>
#include <vector>

#include "check/amounts.hpp"
#include "model/report.hpp"

namespace bankwise {

// Returns the possible error of an amount: "1.4%".
std::string spread_text(const check::amount& a);
// Returns a text such as "wavefronts between 1,000 and 1,200, removable wavefronts between 800 and 990", or an empty
// string if the intervals are unknown. `of` is a measure that has a waste.
std::string interval_sentence(const std::vector<interval>& within, measure of = measure::wavefronts);
// Returns the same for the sectors of a launch. Returns an empty string if there are no sectors.
std::string sector_interval_sentence(const launch_report& l);

// Returns a text such as "estimated: 12 of 40 launches from a sample; exact: the same without --time", or an empty
// string if all counts are exact.
std::string exactness_sentence(const report& r);

}  // namespace bankwise
