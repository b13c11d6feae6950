// Writes a report as JSON. The schema is bankwise.report/1, docs/reference/report.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/cut_report.hpp"
#include "model/report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise {

// If `watch` stops the writing, the report has only the launches up to there, and is marked as partial.
std::string to_json(const report& r, const launch_fixes& fixes = {}, const writing_watch& watch = {});
// The values of the report without its launches, and of one launch.
nlohmann::ordered_json head_value(const report& r);
nlohmann::ordered_json launch_value(const report& r, std::size_t i, const launch_fixes& fixes);
nlohmann::ordered_json json_value(const report& r, const launch_fixes& fixes = {});

}  // namespace bankwise
