#include "edit/index_function.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/array_uses.hpp"
#include "source/index_text.hpp"

namespace bankwise::edit {

namespace {

// Returns the xor in units of elements: "i ^ (i >> 5 & 31)". Returns an empty text if the xor changes the order of the
// bytes in an element.
std::string xor_of_elements(const draft& d, const std::string& i) {
  const std::uint64_t element = d.shape.element_bytes;
  if (!std::has_single_bit(element)) return {};
  const int low = std::countr_zero(element);
  std::string text = i;
  bool keeps = false;
  for (const advise::xor_term& t : d.answer.layout.terms) {
    if (t.shift == 0 && !keeps) {
      keeps = (~t.mask & (std::bit_ceil(d.problem.bytes) - 1)) == 0;
      continue;
    }
    if (t.mask == 0 || t.shift <= 0 || std::countr_zero(t.mask) < low) return {};
    text += formatted(" ^ ({} >> {} & {})", i, static_cast<std::uint64_t>(t.shift), t.mask >> low);
  }
  return keeps && d.answer.layout.terms.size() > 1 && d.answer.layout.terms.size() <= 3 ? text : std::string();
}

}  // namespace

void move_elements(draft& d) {
  const std::uint64_t element = d.shape.element_bytes;
  if (!all_indexed(d)) {
    d.refuse(formatted("at least one use of {} is not an access with an index", d.name));
    return;
  }
  const auto [first, last] = d.declared.extent[0];
  const std::string extent = d.launch_sized ? "" : source::operand(d.reader, d.declared.extent[0]);
  const bool moves_apart = d.answer.layout.every != 0, swaps = !d.answer.layout.terms.empty();
  std::string apart, swapped;
  if (moves_apart) {
    if (d.launch_sized) {
      d.refuse(formatted("the launch sets the size of {}, and must request {} more bytes for this layout", d.name,
                         grouped(advise::bytes_after(d.answer.layout, d.problem.bytes) - d.problem.bytes)));
      return;
    }
    const std::uint64_t every = d.answer.layout.every / element, gap = d.answer.layout.gap / element;
    const std::string times = gap == 1 ? "" : formatted(" * {}", gap);
    apart = formatted("i + i / {}{}", every, times);
    const std::string whole =
        d.problem.bytes / element % every == 0
            ? formatted("{} / {}", extent, every)
            : formatted("({} + {}) / {}", source::summand(d.reader, d.declared.extent[0]), every - 1, every);
    d.extent = formatted("{} + {}{}", extent, whole, times);
    d.replace(first, last, d.extent);
  } else {
    d.extent = d.launch_sized ? "" : d.reader.text(first, last);
  }
  if (swaps) {
    swapped = xor_of_elements(d, moves_apart ? "j" : "i");
    if (swapped.empty()) {
      d.refuse("the layout moves bytes within an element, or the xor of the layout has too many terms");
      return;
    }
    // If only a part of an xor's block is in the array, the xor would move elements past the end of the array.
    u32 changes = 0;
    for (const advise::xor_term& t : d.answer.layout.terms) changes |= t.shift == 0 ? 0 : t.mask;
    const std::uint64_t block = (std::uint64_t{1} << std::bit_width(changes)) / element;
    const std::uint64_t gaps = moves_apart ? (d.problem.bytes + d.answer.layout.every - 1) / d.answer.layout.every : 0;
    const std::uint64_t elements = (d.problem.bytes + gaps * d.answer.layout.gap) / element;
    if (elements % block != 0 && !moves_apart && !d.launch_sized) {
      d.extent =
          formatted("({} + {}) / {} * {}", source::summand(d.reader, d.declared.extent[0]), block - 1, block, block);
      d.replace(first, last, d.extent);
    } else if (elements % block != 0) {
      d.refuse(formatted("the layout needs an array of {} elements", grouped((elements + block - 1) / block * block)));
      return;
    }
    if (d.launch_sized)
      d.doubt(
          d.tokens[d.declared.name].line,
          formatted("the size that a launch requests must be a multiple of {} elements of {}, as in the launches of "
                    "the report",
                    grouped(block), d.name));
  }
  const std::string function = !swaps ? apart : !moves_apart ? swapped : formatted("{}, j = {}", swapped, apart);
  const std::string body = swaps && moves_apart ? formatted("const unsigned j = {}; return {}", apart, swapped)
                                                : formatted("return {}", function);
  std::string helper = formatted("{}_at", d.name);
  const auto taken = [&] {
    return std::any_of(d.tokens.begin(), d.tokens.end(), [&](const source::token& t) { return t.spelled == helper; });
  };
  while (taken()) helper += "_";
  for (const source::use& u : d.uses)
    if (!u.index.empty()) {
      const auto [a, b] = u.index[0];
      d.replace(a, b, helper + argument(d.reader, u.index[0]));
    }
  // The function is written on a line after the declaration, with the same indentation.
  const std::size_t stop = d.tokens[d.declared.stop].end();
  const std::size_t begin = d.reader.source().rfind('\n', d.tokens[d.declared.word].at) + 1;
  std::string indent;
  while (begin + indent.size() < d.reader.source().size() &&
         (d.reader.source()[begin + indent.size()] == ' ' || d.reader.source()[begin + indent.size()] == '\t'))
    indent += d.reader.source()[begin + indent.size()];
  if (d.declared.close >= d.tokens.size()) {
    d.refuse(formatted("{} is declared outside a function", d.name));
    return;
  }
  d.made.changes.push_back(
      {stop, stop, formatted("\n{}const auto {} = [](unsigned i) {{ {}; }};", indent, helper, body)});
  d.made.words = formatted("{}[{}], element i at {}", d.name, d.extent, function);
}

}  // namespace bankwise::edit
