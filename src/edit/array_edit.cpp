#include "edit/array_edit.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/array_uses.hpp"
#include "edit/column_xor.hpp"
#include "edit/draft.hpp"
#include "edit/index_function.hpp"
#include "edit/named_padding.hpp"
#include "edit/row_alignment.hpp"
#include "edit/row_pitch.hpp"

namespace bankwise::edit {

namespace {

// Aligns the array. The compiler keeps wide accesses only if each row begins at a multiple of their width, and the
// compiler can prove it.
void align(draft& d) {
  if (d.launch_sized) return;
  if (auto aligned = keep_alignment(d.reader, d.declared, advise::granule_bytes(d.problem), d.shape.element_bytes)) {
    d.made.changes.push_back(std::move(aligned->change));
    d.made.words += aligned->words;
  }
}

void list_lines(draft& d) {
  std::vector<std::uint32_t> changed_lines;
  for (const text_change& c : d.made.changes) changed_lines.push_back(d.line_of(c.begin));
  changed_lines.erase(std::unique(changed_lines.begin(), changed_lines.end()), changed_lines.end());
  const std::string after = changed(d.reader.source(), d.made.changes);
  std::vector<std::string_view> lines = split(after, '\n');
  std::size_t more = 0;  // number of lines that were added before this line
  for (const std::uint32_t line : changed_lines) {
    const std::size_t at = line + more - 1;
    if (at < lines.size()) d.made.lines.push_back(formatted("{}: {}", line, source::spelled(lines[at])));
    for (const text_change& c : d.made.changes)
      if (d.line_of(c.begin) == line)
        for (const char x : c.text)
          if (x == '\n' && at + 1 < lines.size()) {
            ++more;
            d.made.lines.push_back(formatted("{}: {}", line, source::spelled(lines[at + 1])));
          }
  }
}

// Makes the edit for an answer, and adds the doubts about the edit.
void make_edit(draft& d) {
  d.name = d.tokens[d.declared.name].spelled;
  d.launch_sized = d.declared.extent.size() == 1 && d.declared.extent[0].first > d.declared.extent[0].second;
  if (d.declared.extent.empty() || d.shape.extents.empty())
    return d.refuse(
        formatted("the size of {} on line {} is not known, because one of its types or constants is not in the source",
                  d.declaration_text(), d.tokens[d.declared.name].line));
  // If the code computes one index from the row and the column, the declaration has only one extent.
  d.rows = d.problem.flat && d.declared.extent.size() == 1 ? 1 : d.shape.extents.size();
  if (d.declared.extent.size() != d.rows)
    return d.refuse(
        formatted("the extents of {} in the declaration on line {} differ from the extents of the array in the report",
                  d.name, d.tokens[d.declared.name].line));
  for (const auto& [first, last] : d.declared.extent)
    if (first > last && !d.launch_sized)
      return d.refuse(formatted("an extent of {} is neither a number nor a name", d.name));
  for (const source::token& t : d.tokens)
    if (t.of_directive && t.is == source::token::kind::word && t.spelled == d.name) {
      d.doubt(t.line, formatted("a macro uses {}", d.name));
      return d.refuse(formatted("a macro uses {}", d.name));
    }
  const std::uint64_t element = d.shape.element_bytes;
  if (element == 0 || d.problem.as_it_is.gap % element != 0 || d.answer.layout.gap % element != 0 ||
      d.answer.layout.every % element != 0)
    return d.refuse("the padding is not a whole number of elements");
  d.columns = d.rows > 1 ? d.shape.extents.back() : 0;
  const bool by_rows = d.columns != 0 && d.answer.layout.every == d.columns * element;
  doubt_aliases(d);
  d.names.constants = d.constants_of(d.shape);
  doubt_template(d);
  if (d.launch_sized && !is_only_memory(d)) return;
  follow_into_functions(d);
  if (d.answer.layout.panel_bytes != 0)
    return d.refuse(
        "this layout divides the columns into panels that are stored one after another, so the edit would have to "
        "change every index and every copy");
  if (d.columns != 0 && (d.answer.layout.every == 0 || by_rows)) {
    const std::uint64_t gap = d.answer.layout.every == 0 ? 0 : d.answer.layout.gap / element;
    set_pitch(d, gap);
    if (!d.answer.layout.terms.empty()) {
      if (gap != 0) return d.refuse("a layout with padding and a swizzle would change every index twice");
      xor_columns(d);
    } else {
      check_pitch_uses(d, gap);
    }
  } else if (d.columns == 0) {
    if (d.problem.as_it_is.every == 0)
      move_elements(d);
    else
      change_named_padding(d);
  } else if (d.answer.layout.every < d.columns * element && d.columns * element % d.answer.layout.every == 0 &&
             d.answer.layout.terms.empty() && d.problem.as_it_is.every == 0) {
    pad_columns(d);
  } else {
    return d.refuse(
        formatted("fix can add free bytes only at the end of each row, or at the same positions in all rows. This "
                  "layout needs free bytes after every {} bytes",
                  d.answer.layout.every));
  }
  if (!d.made.refused.empty()) return;
  if (d.columns != 0 && !d.made.changes.empty()) {
    doubt_indices(d, d.shape);
    for (const expr::array_decl& other : d.others)
      if (other.extents.size() == d.shape.extents.size() && other.extents != d.shape.extents) doubt_indices(d, other);
  }
  if (!d.made.changes.empty()) align(d);
  doubt_unseen_lines(d);
  if (!in_order(d.made.changes))
    return d.refuse(formatted("an index of {} is inside another index of the same array", d.name));
  list_lines(d);
}

}  // namespace

array_edit edit_layout(std::string_view source, const source::declared_array& d, const expr::array_decl& shape,
                       const advise::problem& p, const advise::answer& a, const std::vector<std::uint32_t>& lines,
                       const source::threads_of_block& block, const std::vector<expr::array_decl>& others) {
  const source::reader r(source);
  for (const source::declaration& one : r.declarations(d.name)) {
    if (r.all()[one.name].at != d.at) continue;
    draft made{r, r.all(), one, shape, p, a, lines, others, r.uses(one), {.block = block, .constants = {}}};
    make_edit(made);
    return std::move(made.made);
  }
  array_edit none;
  none.refused = formatted("the declaration of {} was not found", d.name);
  return none;
}

}  // namespace bankwise::edit
