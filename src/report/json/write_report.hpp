// Writes a report as JSON. The schema is bankwise.report/1, docs/reference/report.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise {

// The layouts that were found for each launch. The list is empty if no layouts were requested.
using launch_fixes = std::vector<std::vector<advice_report>>;

std::string to_json(const report& r, const launch_fixes& fixes = {});
nlohmann::ordered_json json_value(const report& r, const launch_fixes& fixes = {});

}  // namespace bankwise
