// A picture for sharing: one access before and after a padding or swizzle. The picture has the size that websites show
// for a link.
//
//     --pad 128:4 'tile[t][0]'      32 times fewer wavefronts      [32 rows of one cell]   [one row of 32 cells]
#pragma once

#include <optional>
#include <string>

#include "base/flag_values.hpp"
#include "report/picture/access_report.hpp"

namespace bankwise {

inline constexpr int card_width = 1200, card_height = 675;

struct card {
  access_report shown;                  // access with the padding or swizzle of the question
  std::optional<access_report> before;  // access without padding and swizzle
  std::string change;                   // the change in words, such as "4 free bytes after every 128"
  std::string command;                  // command or link for the question
};

// Makes a card from a question of `explain` and the answer `shown`. Adds the answer without padding and swizzle. If
// `list_name` is empty, `text` is an expression.
result<card> read_card(const flag_values& flags, access_report shown, const std::string& text,
                       const std::string& list_name, std::string command);

// Returns "32 times fewer wavefronts: 4 free bytes after every 128", for example. If there is no change, returns the
// verdict.
std::string headline_of(const card& c);

enum class card_form {
  still,  // two pictures next to each other: the access before and after the change
  // One picture that repeats every three seconds. The cells slide to their new banks and back. If the reader prefers
  // reduced motion, the cells stay.
  loop,
};
// Returns a complete SVG file. If there is no change, nothing moves in a loop.
std::string to_svg(const card& c, card_form form);

}  // namespace bankwise
