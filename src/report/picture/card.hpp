// A picture to send on: one access, before and after a padding or a swizzle, at the size in which sites show a link.
//
//     --pad 128:4 'tile[t][0]'      32 times fewer wavefronts      [32 rows of one cell]   [one row of 32 cells]
#pragma once

#include <optional>
#include <string>

#include "base/flag_values.hpp"
#include "report/text/access_report.hpp"

namespace bankwise {

inline constexpr int card_width = 1200, card_height = 675;

struct card {
  access_report shown;                  // with the padding or swizzle, if there is one
  std::optional<access_report> before;  // without it
  std::string change;                   // in words: "4 free bytes after every 128"
  std::string command;                  // the command for the same question, or a link to it
};

// A question of explain, answered in `shown`, and the same without its padding and swizzle. `list_name` empty: `text`
// is an expression.
result<card> read_card(const flag_values& flags, access_report shown, const std::string& text,
                       const std::string& list_name, std::string command);

// "32 times fewer wavefronts: 4 free bytes after every 128"; without a change, the verdict.
std::string headline_of(const card& c);

enum class card_form {
  still,  // before next to after
  // one panel, whose cells slide to their new banks and back, three seconds in all; no motion if the reader wants none
  loop,
};
// SVG that needs nothing else. For a loop without a change, it does not move.
std::string to_svg(const card& c, card_form form);

}  // namespace bankwise
