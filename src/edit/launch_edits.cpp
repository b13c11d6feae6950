// Edits of a launch: another number of blocks, if the kernel is written for any number, and larger or smaller blocks.
#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

namespace {

constexpr std::string_view axis_names[] = {"x", "y", "z"};

// Whether `blockIdx.x * blockDim.x` is at token i. Instead of blockDim.x, there may be a number or a name.
struct block_start {
  std::size_t first = 0, last = 0;  // tokens of the product
  std::string_view factor;          // "blockDim", or the number or name
};
std::optional<block_start> block_start_at(const delay_draft& d, std::size_t i) {
  if (!is_axis(d, i, "blockIdx", "x")) return std::nullopt;
  const auto is_factor = [&](std::size_t at) {
    return d.is_word(at) || (at < d.tokens.size() && d.tokens[at].is == source::token::kind::number);
  };
  if (d.word(i + 3) == "*") {
    if (is_axis(d, i + 4, "blockDim", "x")) return block_start{i, i + 6, "blockDim"};
    if (is_factor(i + 4) && d.word(i + 5) != "." && d.word(i + 5) != "(" && d.word(i + 5) != "[")
      return block_start{i, i + 4, d.word(i + 4)};
  }
  if (i >= 4 && d.word(i - 1) == "*") {
    if (is_axis(d, i - 4, "blockDim", "x")) return block_start{i - 4, i + 2, "blockDim"};
    if (is_factor(i - 2) && d.word(i - 3) != "." && d.word(i - 3) != "*" && d.word(i - 3) != "/")
      return block_start{i - 2, i + 2, d.word(i - 2)};
  }
  return std::nullopt;
}

// Whether threadIdx.x is added to the product, so that the sum is the number of the thread in the grid.
bool adds_thread(const delay_draft& d, const block_start& b) {
  return (d.word(b.last + 1) == "+" && is_axis(d, b.last + 2, "threadIdx", "x")) ||
         (b.first >= 4 && d.word(b.first - 1) == "+" && is_axis(d, b.first - 4, "threadIdx", "x"));
}

// Finds the variable to which the sum is assigned, with nothing else in the expression. Empty if there is none.
std::string_view assigned_thread(const delay_draft& d, const block_start& b) {
  const bool is_before = d.word(b.last + 1) == "+";
  const std::size_t first = is_before ? b.first : b.first - 4, last = is_before ? b.last + 4 : b.last;
  if (first < 2 || d.word(first - 1) != "=" || !d.is_word(first - 2)) return {};
  return d.word(last + 1) == ";" || d.word(last + 1) == "," ? d.word(first - 2) : std::string_view();
}

bool is_added_to(const delay_draft& d, std::size_t sum, std::string_view variable) {
  return d.word(sum) == "+=" && d.word(sum - 1) == variable;
}

// Whether every use of `name` in the body, apart from its declaration, is added to the variable: `i += stride`.
bool is_only_step(const delay_draft& d, const kernel_text& k, std::string_view name, std::string_view variable) {
  std::size_t uses = 0;
  for (std::size_t i = k.open; i < k.close; ++i) {
    if (d.word(i) != name || !d.is_word(i) || d.reader.is_declared_at(i)) continue;
    ++uses;
    if (!is_added_to(d, i - 1, variable)) return false;
  }
  return uses != 0;
}

// Returns why the kernel is not a loop that is correct for any number of blocks: `for (i = blockIdx.x * blockDim.x +
// threadIdx.x; ...; i += gridDim.x * blockDim.x)`. Returns an empty text if it is.
std::string no_grid_loop(const delay_draft& d, const kernel_text& k) {
  std::string_view variable, factor;
  std::size_t steps = 0;
  for (std::size_t i = k.open; i < k.close; ++i) {
    if ((d.word(i) == "blockIdx" || d.word(i) == "gridDim") && d.word(i + 1) != ".")
      return formatted("line {} uses {} as a whole", d.tokens[i].line, d.word(i));
    if (d.word(i) != "blockIdx" || d.word(i + 2) != "x") continue;
    const auto b = block_start_at(d, i);
    const std::string_view to = b && adds_thread(d, *b) ? assigned_thread(d, *b) : std::string_view();
    if (to.empty() || !variable.empty())
      return formatted("line {} uses blockIdx.x for something else than the first index of a loop", d.tokens[i].line);
    variable = to;
    factor = b->factor;
  }
  for (std::size_t i = k.open; i < k.close && !variable.empty(); ++i) {
    if (d.word(i) == variable && d.word(i - 1) == "=" && (d.word(i + 1) == ";" || d.word(i + 1) == ","))
      return formatted("line {} copies {}", d.tokens[i].line, variable);
    if (d.word(i) != "gridDim" || d.word(i + 2) != "x") continue;
    const std::size_t width = factor == "blockDim" ? 3 : 1;
    const auto is_its_factor = [&](std::size_t at) {
      return width == 3 ? is_axis(d, at, "blockDim", "x") : d.word(at) == factor;
    };
    std::size_t first = i, last = i + 2;
    if (d.word(i + 3) == "*" && is_its_factor(i + 4))
      last = i + 3 + width;
    else if (d.word(i - 1) == "*" && is_its_factor(i - 1 - width))
      first = i - 1 - width;
    const bool is_product = last != i + 2 || first != i;
    const bool ends = d.word(last + 1) == ")" || d.word(last + 1) == ";" || d.word(last + 1) == ",";
    const bool is_step = is_product && ends &&
                         (is_added_to(d, first - 1, variable) ||
                          (d.word(first - 1) == "=" && is_only_step(d, k, d.word(first - 2), variable)));
    if (!is_step)
      return formatted("line {} uses gridDim.x for something else than the step of a loop", d.tokens[i].line);
    ++steps;
  }
  return steps == 0 ? formatted("{} has no loop that takes steps of the whole grid", d.kernel) : std::string();
}

// Returns the value that the kernel divides among the blocks of an axis: `part = columns / gridDim.y`, with blockIdx.y
// only in `blockIdx.y * part` and `(blockIdx.y + 1) * part`.
std::optional<std::uint64_t> divided_work(const delay_draft& d, const kernel_text& k, std::string_view axis) {
  std::string_view part;
  std::optional<std::uint64_t> work;
  const auto is_next = [&](std::size_t i) {
    return d.word(i - 1) == "(" && d.word(i + 3) == "+" && d.word(i + 4) == "1" && d.word(i + 5) == ")" &&
           d.word(i + 6) == "*" && d.word(i + 7) == part;
  };
  for (std::size_t i = k.open; i < k.close; ++i) {
    if (!is_axis(d, i, "gridDim", axis)) continue;
    if (work || d.word(i - 1) != "/" || d.word(i - 3) != "=" || !d.is_word(i - 4)) return std::nullopt;
    if (d.word(i + 3) != ";" && d.word(i + 3) != ",") return std::nullopt;
    part = d.word(i - 4);
    work = value_of(d, {i - 2, i - 2});
    if (!work) return std::nullopt;
  }
  for (std::size_t i = k.open; i < k.close && work; ++i)
    if (is_axis(d, i, "blockIdx", axis) && !(d.word(i + 3) == "*" && d.word(i + 4) == part) && !is_next(i))
      return std::nullopt;
  return work;
}

// Replaces a part of the grid. It must be a number, or a name whose value is this number.
bool replace_part(delay_draft& d, const launch_text& l, std::size_t axis, std::uint64_t with) {
  const source::token_range r = l.of_grid[axis];
  const auto value = r.first == r.second ? value_of(d, r) : std::nullopt;
  if (!value || *value != d.launch.grid[axis]) {
    d.refuse(formatted("its launch on line {} computes the number of blocks", d.tokens[r.first].line));
    return false;
  }
  d.replace(r, std::to_string(with));
  d.made.words = formatted("the grid has {} blocks in {} instead of {}", grouped(with), axis_names[axis],
                           grouped(d.launch.grid[axis]));
  return true;
}

}  // namespace

void change_grid(delay_draft& d) {
  const auto k = need_kernel(d);
  if (!k) return;
  const auto l = need_launch(d);
  if (!l) return;
  if (d.launch.has_other_shapes) return d.refuse(formatted("other launches of {} have other grids", d.kernel));
  if (d.launch.wave == 0) return d.refuse("the number of resident blocks is unknown");
  if (l->of_grid.empty()) return d.refuse("several launches use its grid");
  if (refuses_elsewhere(d, {"gridDim", "blockIdx"})) return;
  const std::uint64_t others = d.launch.blocks() / std::max(1U, d.launch.grid[0]);
  std::string why = no_grid_loop(d, *k);
  if (why.empty()) {
    if (others != 1) return d.refuse("its grid has more than one dimension");
    if (d.launch.wave == d.launch.grid[0]) return d.refuse("its grid already has as many blocks as are resident");
    replace_part(d, *l, 0, d.launch.wave);
    return;
  }
  for (std::size_t axis = 0; axis < l->of_grid.size() && axis < 3; ++axis) {
    const auto work = divided_work(d, *k, axis_names[axis]);
    if (!work || *work == 0) continue;
    const std::uint64_t room = d.launch.wave * d.launch.grid[axis] / d.launch.blocks();
    const std::uint64_t parts = std::min(std::bit_floor(room), *work & (~*work + 1));  // a power of two that divides it
    if (parts <= d.launch.grid[axis]) return d.refuse("its work cannot be divided among more blocks");
    replace_part(d, *l, axis, parts);
    return;
  }
  d.refuse(std::move(why));
}

namespace {

// Returns why the kernel may depend on the number of threads of a block. `name` is what the launch calls this number.
std::string needs_block(const delay_draft& d, const kernel_text& k, std::string_view name) {
  if (k.has_bounds) return formatted("{} has __launch_bounds__", d.kernel);
  if (const std::string_view word = word_of_warps(d, k); !word.empty())
    return formatted("{} uses {}, which depends on warps", d.kernel, word);
  std::vector<std::size_t> known;  // tokens in the number of the thread in the grid
  for (std::size_t i = k.open; i < k.close; ++i) {
    if (d.tokens[i].of_directive && d.word(i + 1) != "pragma" && d.word(i) == "#")
      return "it has preprocessor directives";
    const auto b = block_start_at(d, i);
    if (!b || !adds_thread(d, *b) || (b->factor != "blockDim" && b->factor != name)) continue;
    for (std::size_t at = b->first - 4; at <= b->last + 4; ++at) known.push_back(at);
  }
  if (known.empty()) return formatted("{} does not compute blockIdx.x * blockDim.x + threadIdx.x", d.kernel);
  constexpr std::string_view of_blocks[] = {"blockIdx",   "blockDim",      "threadIdx",       "gridDim",
                                            "__shared__", "__syncthreads", "__cluster_dims__"};
  for (std::size_t i = k.open; i < k.close; ++i) {
    const bool is_of_block =
        std::find(std::begin(of_blocks), std::end(of_blocks), d.word(i)) != std::end(of_blocks) || d.word(i) == name;
    if (is_of_block && std::find(known.begin(), known.end(), i) == known.end())
      return formatted("line {} uses {}", d.tokens[i].line, d.word(i));
  }
  return {};
}

// Whether the kernel compares the number of the thread with a limit, so that additional threads do nothing.
bool compares_thread(const delay_draft& d, const kernel_text& k) {
  for (std::size_t i = k.open; i < k.close; ++i) {
    const auto b = block_start_at(d, i);
    const std::string_view thread = b && adds_thread(d, *b) ? assigned_thread(d, *b) : std::string_view();
    for (std::size_t at = k.open; at < k.close && !thread.empty(); ++at)
      if (d.word(at) == thread &&
          (d.word(at + 1) == "<" || d.word(at + 1) == ">=" || d.word(at - 1) == ">" || d.word(at - 1) == "<="))
        return true;
  }
  return false;
}

// Finds the number in the only definition of a constant, such as 32 in `constexpr int threads = 32;`.
std::size_t number_of_constant(const delay_draft& d, std::string_view name) {
  std::size_t found = 0;
  for (std::size_t i = 1; i + 2 < d.tokens.size(); ++i) {
    if (d.word(i) != name || !d.is_word(i)) continue;
    const bool is_macro = d.tokens[i].of_directive && d.word(i - 1) == "define";
    const std::size_t number = is_macro ? i + 1 : i + 2;
    if (!is_macro && (!d.reader.is_declared_at(i) || d.word(i + 1) != "=")) continue;
    const bool is_alone = is_macro ? !d.tokens[i + 2].of_directive : d.word(i + 3) == ";" || d.word(i + 3) == ",";
    if (found != 0 || d.tokens[number].is != source::token::kind::number || !is_alone) return 0;
    found = number;
  }
  return found;
}

}  // namespace

void change_block(delay_draft& d) {
  constexpr std::uint64_t usual = 256;
  const auto k = need_kernel(d);
  if (!k) return;
  const auto l = need_launch(d);
  if (!l) return;
  const std::uint64_t threads = d.launch.threads();
  if (d.launch.has_other_shapes) return d.refuse(formatted("other launches of {} have other blocks", d.kernel));
  if (threads == usual) return d.refuse("its blocks already have 256 threads");
  if (l->arguments != 2 || l->of_block.size() != 1 || l->of_grid.size() != 1 || d.launch.block[0] != threads ||
      d.launch.grid[0] != d.launch.blocks())
    return d.refuse("its launch does not only have a number of blocks and a number of threads");
  const source::token_range block = l->of_block[0], grid = l->of_grid[0];
  const std::string_view name = d.word(block.first);
  if (block.first != block.second || value_of(d, block) != threads)
    return d.refuse(formatted("its launch on line {} computes the number of threads", d.tokens[block.first].line));
  if (refuses_elsewhere(d, {"threadIdx", "blockIdx", "blockDim", "gridDim"})) return;
  if (std::string why = needs_block(d, *k, name); !why.empty()) return d.refuse(std::move(why));
  std::vector<std::size_t> in_grid;
  for (std::size_t i = grid.first; i <= grid.second; ++i)
    if (d.word(i) == name) in_grid.push_back(i);
  const bool divides = !in_grid.empty() && in_grid.back() == grid.second && grid.second > grid.first + 1 &&
                       d.word(grid.second - 1) == "/";
  // (n + 32 - 1) / 32: the kernel must compare the index with n already.
  const bool is_rounded_up = divides && in_grid.size() == 2 && d.word(in_grid[0] - 1) == "+" &&
                             d.word(in_grid[0] + 1) == "-" && d.word(in_grid[0] + 2) == "1" &&
                             d.word(in_grid[0] + 3) == ")" && in_grid[0] + 5 == grid.second;
  if (is_rounded_up && !compares_thread(d, *k))
    return d.refuse(formatted("{} does not compare the number of the thread with a limit", d.kernel));
  const auto blocks = value_of(d, grid);
  const bool is_exact = divides && in_grid.size() == 1 && blocks == d.launch.grid[0];
  if (!is_rounded_up && !is_exact)
    return d.refuse(
        formatted("its launch on line {} does not divide a constant, or a rounded sum, by the number of threads",
                  d.tokens[grid.first].line));
  if (is_exact) {
    const auto work = value_of(d, {grid.first, grid.second - 2});
    if (!work || *work % usual != 0 || *work % threads != 0)
      return d.refuse(formatted("its number of threads is not a multiple of {}", usual));
  }
  if (d.is_word(block.first)) {
    const std::size_t number = number_of_constant(d, name);
    if (number == 0) return d.refuse(formatted("{} is not a constant with one definition", name));
    const auto is_of_launch = [&](std::size_t i) {
      return (i > l->open && i < l->close) || (i > k->open && i < k->close) || i == number - 1 || i == number - 2;
    };
    for (std::size_t i = 0; i < d.tokens.size(); ++i)
      if (d.word(i) == name && !is_of_launch(i))
        return d.refuse(formatted("line {} also uses {}", d.tokens[i].line, name));
    d.replace(number, std::to_string(usual));
  } else {
    for (const std::size_t i : in_grid) d.replace(i, std::to_string(usual));
    d.replace(block, std::to_string(usual));
  }
  d.made.words = formatted("blocks have {} threads instead of {}", usual, threads);
}

}  // namespace bankwise::edit
