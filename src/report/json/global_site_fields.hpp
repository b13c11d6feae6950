// The JSON fields of an instruction on global memory.
#pragma once

#include "model/global_site.hpp"
#include "report/json/field.hpp"

namespace bankwise {

const fields<global_site>& global_site_fields();
const fields<global_counts>& global_totals_fields();
const fields<global_sample>& global_sample_fields();
const fields<sector_group>& sector_group_fields();
// Fails if an estimate is outside of its interval.
void check_global_intervals(report_reader& r, const node& n, const std::vector<interval>& within,
                            const global_counts& of);
void read_global_sites(report_reader& r, const node& launch, launch_report& l);

}  // namespace bankwise
