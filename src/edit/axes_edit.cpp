// Exchanges the axes x and y of a block's threads, so that neighbouring lanes access neighbouring elements. Thread
// (a, b) does what thread (b, a) did before, so each block does the same work.
#include <algorithm>

#include "base/format.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

void exchange_axes(delay_draft& d) {
  const auto k = need_kernel(d);
  if (!k) return;
  const auto [x, y, z] = d.launch.block;
  if (x < 2 || y < 2) return d.refuse("its blocks have only one dimension");
  if (d.launch.has_other_shapes) return d.refuse(formatted("other launches of {} have other blocks", d.kernel));
  if (k->has_bounds && x != y) return d.refuse(formatted("{} has __launch_bounds__", d.kernel));
  if (refuses_elsewhere(d, {"threadIdx", "blockDim"})) return;
  if (const std::string_view word = word_of_warps(d, *k); !word.empty())
    return d.refuse(formatted("{} uses {}, which depends on warps", d.kernel, word));
  bool has_x = false, has_y = false;
  for (std::size_t i = k->open; i < k->close; ++i) {
    const bool is_thread = d.word(i) == "threadIdx";
    if (!is_thread && d.word(i) != "blockDim") continue;
    if (d.word(i + 1) != ".") return d.refuse(formatted("line {} uses {} as a whole", d.tokens[i].line, d.word(i)));
    const bool is_x = d.word(i + 2) == "x";
    if (!is_x && d.word(i + 2) != "y") continue;
    (is_x ? has_x : has_y) |= is_thread;
    d.replace(i + 2, is_x ? "y" : "x");
  }
  if (!has_x || !has_y) return d.refuse(formatted("{} does not use both threadIdx.x and threadIdx.y", d.kernel));
  d.made.words = "threadIdx.x and threadIdx.y change places";
  // Blocks that are square in this run need not be square in others.
  const auto l = need_launch(d);
  if (!l) return;
  if (l->of_block.size() < 2)
    return d.refuse(formatted("its launch on line {} has no dim3 with two parts", d.tokens[l->open].line));
  const auto [a, b] = l->of_block[0];
  const auto [c, e] = l->of_block[1];
  if (d.reader.text(a, b) == d.reader.text(c, e)) return;
  d.replace(source::token_range{a, b}, d.reader.text(c, e));
  d.replace(source::token_range{c, e}, d.reader.text(a, b));
  d.made.words += x == y ? ", and so do the sides of its blocks"
                         : formatted(", and blocks are {} x {} instead of {} x {}", y, x, x, y);
}

}  // namespace bankwise::edit
