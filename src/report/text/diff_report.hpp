// The changes between two reports, as text, JSON and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "check/diff.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// With `all`, also shows lines whose costs are equal.
std::string to_text(const check::report_diff& d, const style& s, bool all);
// Writes the answer as JSON. Its schema is bankwise.diff/1, docs/reference/diff.schema.json.
nlohmann::ordered_json json_value(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
std::string to_csv(const check::report_diff& d);
// Returns the difference as one line, such as "-4,064 wavefronts, -3,968 of them removable".
std::string verdict_of(const check::report_diff& d);
// Returns a sentence for each program that failed: "B failed: app.cu:7: ...".
std::vector<std::string> failures_of(const check::report_diff& d);
// Returns a text for each kernel that is not compared, because a program ended too early.
std::vector<std::string> unfinished_of(const check::report_diff& d);
// Returns a text such as "about 7.12 us instead of 12.3 us on an H100 SXM, 1.74 times as fast". Returns an empty string
// if a report has no predicted time.
std::string time_verdict_of(const predicted_time& a, const predicted_time& b);
// Returns the number of the line: "18", or "18 > 21" if the line has moved.
std::string line_numbers_of(const check::diff_row& r, bool with_file);

}  // namespace bankwise
