// What changed between two reports, as text, JSON and CSV.
#pragma once

#include <string>

#include "check/diff.hpp"
#include "report/style.hpp"

namespace bankwise {

// `all`: lines that cost the same too.
std::string to_text(const check::report_diff& d, const style& s, bool all);
// Schema bankwise.diff/1, docs/reference/diff.schema.json.
std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
std::string to_csv(const check::report_diff& d);

}  // namespace bankwise
