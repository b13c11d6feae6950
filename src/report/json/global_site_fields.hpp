// The JSON fields of an instruction on global memory.
#pragma once

#include "model/global_site.hpp"
#include "report/json/field.hpp"

namespace bankwise {

const fields<global_site>& global_site_fields();
const fields<global_counts>& global_totals_fields();
void read_global_sites(report_reader& r, const node& launch, launch_report& l);

}  // namespace bankwise
