// The changes between two reports, as text, JSON, CSV and Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "check/diff.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// `all`: also lines with equal costs.
std::string to_text(const check::report_diff& d, const style& s, bool all);
// Schema bankwise.diff/1, docs/reference/diff.schema.json.
nlohmann::ordered_json json_value(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
std::string to_csv(const check::report_diff& d);
// For a comment on a pull request: a table of the changed lines, and the banks of the line that became worst, whose
// access is in `b`.
std::string to_markdown(const check::report_diff& d, const report& b);
// One line: "-4,064 wavefronts, -3,968 of them removable".
std::string verdict_of(const check::report_diff& d);

}  // namespace bankwise
