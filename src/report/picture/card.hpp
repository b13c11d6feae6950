// A picture for sharing: one access, before and after a padding or a swizzle, in the size that websites show for a
// link.
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
  access_report shown;                  // with the padding or swizzle, if the question has one
  std::optional<access_report> before;  // without the padding and swizzle
  std::string change;                   // the change in words: "4 free bytes after every 128"
  std::string command;                  // the command of the question, or a link to the question
};

// Makes a card from a question of explain, whose answer is `shown`. The card also contains the answer without padding
// and swizzle. If `list_name` is empty, `text` is an expression.
result<card> read_card(const flag_values& flags, access_report shown, const std::string& text,
                       const std::string& list_name, std::string command);

// "32 times fewer wavefronts: 4 free bytes after every 128". Without a change, returns the verdict.
std::string headline_of(const card& c);

enum class card_form {
  still,  // the picture before the change, next to the picture after it
  // One panel. In three seconds, its cells slide to their new banks and back. The cells do not move if the reader
  // prefers reduced motion.
  loop,
};
// A complete SVG file. A loop without a change shows no movement.
std::string to_svg(const card& c, card_form form);

}  // namespace bankwise
