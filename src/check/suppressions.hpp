// Comments in a source that suppress a finding and give the reason.
//
//     out[i] = tile[t][0];  // bankwise: ignore BW101 -- runs once a kernel
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::check {

struct suppression {
  std::uint32_t comment_line = 0;  // line of the comment
  // The line for which findings are suppressed. This is the line of the comment. If the comment is alone on its line,
  // it is the next line with code.
  std::uint32_t line = 0;
  std::vector<std::string> kinds;  // examples: "BW101"
  std::string reason;
  std::string wrong;  // why the comment has no effect; empty if it has
};

std::vector<suppression> read_suppressions(std::string_view source);

}  // namespace bankwise::check
