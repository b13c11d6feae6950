// The text of a report, split into launches. A reader can parse one launch at a time, and needs memory for the parsed
// JSON of only one launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

struct report_parts {
  std::string rest;                        // text of the report, with an empty list of launches
  std::vector<std::string_view> launches;  // texts of the launches
  bool twice = false;                      // whether the report has two lists of launches
};

// Splits the text of a report at brackets and strings. All parts are valid JSON exactly if the text is valid JSON.
report_parts parts_of(std::string_view text);
// Whether a text has more values than a report of this length can have.
bool has_too_many_values(std::string_view text);

}  // namespace bankwise
