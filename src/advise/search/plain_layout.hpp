// The best simple layout of one access: padding after every N bytes, or a Swizzle<B,M,S>. `bankwise fix` also searches
// layouts for several accesses at once, and more families.
//
//     float tile[32][32], tile[t][0]      --pad 128:4      32 -> 1 wavefronts      tile[32][32 + 1]
#pragma once

#include <cstdint>
#include <string>

#include "advise/advice.hpp"
#include "base/flag_values.hpp"
#include "expr/expression.hpp"
#include "expr/layout_change.hpp"

namespace bankwise::advise {

struct plain_layout {
  expr::array_decl array;  // has no name if the access is not to a declared array
  problem what;
  answer best;           // family as_it_is if no tried layout is better
  layout_change change;  // the layout as a change of addresses, in the form of --pad and --swizzle
  bool applies = true;   // false if the array's begin makes the change of addresses differ from the layout
  std::uint64_t before = 0, floor = 0, tried = 0;
};

// The question is a question of `bankwise explain` (expr/question.hpp), without its --pad and --swizzle. If `list_name`
// is empty, `text` is an expression.
result<plain_layout> find_plain_layout(const flag_values& flags, const std::string& text, const std::string& list_name);

}  // namespace bankwise::advise
