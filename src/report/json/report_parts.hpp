// The text of a report, split into launches. The launches are parsed one at a time, so that only one launch at a time
// needs memory for parsed JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

struct report_parts {
  std::string rest;                        // the text with an empty list instead of the launches
  std::vector<std::string_view> launches;  // the texts of the launches
  bool twice = false;                      // whether the text contains two lists of launches
};

// Splits a report's text by brackets and strings. The parts are valid JSON if and only if the text is valid JSON.
report_parts parts_of(std::string_view text);

}  // namespace bankwise
