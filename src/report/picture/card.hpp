// A picture for sharing: one access, before and after a padding or a swizzle, in the size that sites show for a link.
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
  std::string change;                   // as text: "4 free bytes after every 128"
  std::string command;                  // the command for the same question, or a link to it
};

// A question of explain, with the answer in `shown`; and the same question without its padding and swizzle. If
// `list_name` is empty, `text` is an expression.
result<card> read_card(const flag_values& flags, access_report shown, const std::string& text,
                       const std::string& list_name, std::string command);

// "32 times fewer wavefronts: 4 free bytes after every 128"; without a change, the verdict.
std::string headline_of(const card& c);

enum class card_form {
  still,  // before next to after
  // one panel, whose cells slide to their new banks and back, in three seconds; they do not move if the reader prefers
  // reduced motion
  loop,
};
// A complete SVG file. A loop without a change does not move.
std::string to_svg(const card& c, card_form form);

}  // namespace bankwise
