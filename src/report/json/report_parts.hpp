// The text of a report, split into launches. A reader parses one launch at a time, so that only one launch at a time
// needs memory for its parsed JSON.
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

// Splits the text of a report at brackets and strings. All parts are valid JSON if and only if the text is valid JSON.
report_parts parts_of(std::string_view text);

}  // namespace bankwise
