// Comments in the source that suppress a finding and give the reason.
//
//     out[i] = tile[t][0];  // bankwise: ignore BW101 -- runs once a kernel
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::check {

struct suppression {
  std::uint32_t comment_line = 0;  // where the comment is
  // the line that it applies to: its own line or, if the comment is alone on its line, the next line with code
  std::uint32_t line = 0;
  std::vector<std::string> kinds;  // "BW101"
  std::string reason;
  std::string wrong;  // why it suppresses nothing; empty if it does
};

std::vector<suppression> read_suppressions(std::string_view source);

}  // namespace bankwise::check
