#include "edit/column_xor.hpp"

#include <bit>
#include <optional>

#include "base/format.hpp"
#include "edit/array_uses.hpp"
#include "source/index_text.hpp"

namespace bankwise::edit {

namespace {

// A value for the xor with the column. It consists of bits of the row, or of the column itself.
struct column_term {
  enum { row, column, both } of = column;  // `both` means the index of the element in the array
  u32 right = 0;                           // number of bits by which the value is shifted right, in units of elements
  std::uint64_t mask = 0;                  // mask that is applied after the shift; 0 means all bits
  std::uint64_t unit = 1;                  // number of elements that stay together
};

// Returns the terms of the layout. Returns nothing if a term has no equivalent column_term.
std::optional<std::vector<column_term>> column_terms(const draft& d) {
  const std::uint64_t element = d.shape.element_bytes, pitch = d.columns * element;
  const std::uint64_t outer = d.shape.extents[d.shape.extents.size() - 2];
  if (!std::has_single_bit(pitch) || !std::has_single_bit(element)) return std::nullopt;
  const int bits = std::countr_zero(pitch), low = std::countr_zero(element);
  std::vector<column_term> terms;
  bool keeps = false;
  for (const advise::xor_term& t : d.answer.layout.terms) {
    if (t.shift == 0 && !keeps) {
      keeps = (~t.mask & (std::bit_ceil(d.problem.bytes) - 1)) == 0;
      continue;
    }
    const int first = std::countr_zero(t.mask), last = 31 - std::countl_zero(t.mask);
    if (t.mask == 0 || t.shift <= 0 || first < low || last >= bits) return std::nullopt;
    const int from = first + t.shift, to = last + t.shift;
    column_term c{from >= bits ? column_term::row
                  : to < bits  ? column_term::column
                               : column_term::both,
                  static_cast<u32>(from >= bits ? from - bits : from - low), t.mask >> first,
                  std::uint64_t{1} << (first - low)};
    // If the array has more than two dimensions, the bits must be bits of the last index but one.
    if (to >= bits && d.shape.extents.size() > 2 &&
        (!std::has_single_bit(outer) || to >= bits + std::countr_zero(outer)))
      return std::nullopt;
    const std::uint64_t most = (c.of == column_term::row      ? outer
                                : c.of == column_term::column ? d.columns
                                                              : outer * d.columns) -
                               1;
    const std::uint64_t reached = std::bit_ceil((most >> c.right) + 1) - 1;
    if ((reached & ~c.mask) == 0) c.mask = 0;
    terms.push_back(c);
  }
  return keeps && !terms.empty() ? std::optional(terms) : std::nullopt;
}

std::string place(const draft& d, const column_term& c, const std::string& row, const std::string& column) {
  if (c.of == column_term::both) return formatted("({} * {} + {})", row, d.columns, column);
  return c.of == column_term::row ? row : column;
}

std::string text_of_term(const column_term& c, std::string x) {
  if (c.right != 0) x += formatted(" >> {}", c.right);
  if (c.mask != 0) x = formatted("{} & {}", c.right != 0 ? formatted("({})", x) : x, c.mask);
  const bool plain = c.right == 0 && c.mask == 0;
  if (!plain) x = formatted("({})", x);
  return c.unit == 1 ? x : formatted("({} * {})", x, c.unit);
}

}  // namespace

void doubt_template(draft& d) {
  if (d.answer.layout.terms.empty()) return;
  for (const auto& [first, last] : d.declared.extent)
    for (std::size_t i = first; i <= last && first <= last; ++i)
      if (d.tokens[i].is == source::token::kind::word && d.reader.is_template_parameter(d.tokens[i].spelled))
        d.doubt(d.tokens[d.declared.name].line,
                formatted("the xor is correct only for this value of {}, but other instances of the template may have "
                          "different values",
                          d.tokens[i].spelled));
}

void xor_columns(draft& d) {
  const auto terms = column_terms(d);
  if (!terms) {
    d.refuse(
        "bankwise can only edit a layout that changes the column index, but this layout also changes the row index or "
        "moves bytes within an element");
    return;
  }
  if (!all_indexed(d)) {
    d.refuse(formatted("at least one use of {} does not access an element with all its indices", d.name));
    return;
  }
  const std::size_t row_at = d.shape.extents.size() - 2;
  for (const source::use& u : d.uses) {
    const auto& row = u.index[row_at];
    const auto& column = u.index[row_at + 1];
    std::string now = source::operand(d.reader, column);
    for (const column_term& c : *terms) {
      if ((c.of != column_term::column && !source::repeats(d.reader, row)) ||
          (c.of != column_term::row && !source::repeats(d.reader, column))) {
        d.doubt(d.tokens[u.name].line, formatted("an index of {} has a side effect", d.name));
        d.refuse(formatted("an index of {} has a side effect, and the edit would write this index twice", d.name));
        return;
      }
      now += formatted(" ^ {}",
                       text_of_term(c, place(d, c, source::operand(d.reader, row), source::operand(d.reader, column))));
    }
    d.replace(column.first, column.second, now);
  }
  std::string index = "column";
  for (const column_term& c : *terms) index += formatted(" ^ {}", text_of_term(c, place(d, c, "row", "column")));
  d.made.words = formatted("{}, its columns {}", d.declared_words(), index);
}

}  // namespace bankwise::edit
