// Comments in the source that say why a finding stays.
//
//     out[i] = tile[t][0];  // bankwise: ignore BW101 -- runs once a kernel
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::check {

struct suppression {
  std::uint32_t comment_line = 0;  // where it stands
  std::uint32_t line = 0;          // what it is about: that line, or the next with code if it stands alone
  std::vector<std::string> kinds;  // "BW101"
  std::string reason;
  std::string wrong;  // why it suppresses nothing; empty: it does
};

std::vector<suppression> read_suppressions(std::string_view source);

}  // namespace bankwise::check
