// The text of a report, split at its launches: each is parsed separately, so that a report of any length needs no
// more than one launch as parsed JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

struct report_parts {
  std::string rest;                        // with an empty list instead of the launches
  std::vector<std::string_view> launches;  // of the text
  bool twice = false;                      // there are two lists of launches
};

// Only brackets and strings are examined: the parts are valid JSON if and only if the text is.
report_parts parts_of(std::string_view text);

}  // namespace bankwise
