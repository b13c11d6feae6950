// The JSON fields of a finding. A report's JSON contains them, so that scripts need not compute findings from counts.
#pragma once

#include "check/findings.hpp"
#include "report/json/field.hpp"

namespace bankwise {

const fields<check::finding>& finding_fields();

// Returns "replayed" if a replay of the launches predicted the saved time, and "counted" if only amounts are known.
const char* evidence_of(const check::finding& f);
// Returns the unit of a finding's amount: "wavefronts", "rounds", "sectors" or "accesses".
const char* unit_of(const check::finding& f);

}  // namespace bankwise
