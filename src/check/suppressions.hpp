// Comments in a source that suppress a finding and give a reason:
//
//     out[i] = tile[t][0];  // bankwise: ignore BW101 -- runs once a kernel
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::check {

struct suppression {
  std::uint32_t comment_line = 0;
  // The line whose findings are suppressed. If the comment is alone on its line, this is the next line with code.
  // Otherwise, it is the line of the comment.
  std::uint32_t line = 0;
  std::vector<std::string> kinds;  // numbers of kinds, such as "BW101"
  std::string reason;
  std::string wrong;  // why the comment has no effect; empty if it has an effect
};

std::vector<suppression> read_suppressions(std::string_view source);

}  // namespace bankwise::check
