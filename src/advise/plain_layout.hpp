// The best simple layout for one access: a padding after every N bytes, or a Swizzle<B,M,S>. `bankwise fix` searches
// more families, and layouts for several accesses at once.
//
//     float tile[32][32], tile[t][0]      --pad 128:4      32 -> 1 wavefronts      tile[32][32 + 1]
#pragma once

#include <cstdint>
#include <string>

#include "advise/advice.hpp"
#include "base/flag_values.hpp"
#include "expr/layout_change.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise::advise {

struct plain_layout {
  expr::array_decl array;  // the accessed array; its name is empty if it is not declared
  problem what;
  answer best;           // the layout; if no tried layout is better, its family is as_it_is
  layout_change change;  // the layout as a change of addresses, in the form of --pad and --swizzle
  // whether the layout and the change of addresses have the same effect; this is certain only if the array begins at
  // address 0
  bool applies = true;
  std::uint64_t before = 0, floor = 0, tried = 0;
};

// Finds the layout for a question of `bankwise explain` (expr/question.hpp). The question's --pad and --swizzle are
// ignored. If `list_name` is empty, `text` is an expression. Otherwise, `text` is a list of addresses.
result<plain_layout> find_plain_layout(const flag_values& flags, const std::string& text, const std::string& list_name);

}  // namespace bankwise::advise
