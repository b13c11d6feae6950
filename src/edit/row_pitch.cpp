#include "edit/row_pitch.hpp"

#include "base/format.hpp"
#include "edit/array_uses.hpp"
#include "source/index_text.hpp"

namespace bankwise::edit {

namespace {

// Returns the text of an extent with `gap` free elements. The extent in the source already has `had` free elements.
std::string longer(const draft& d, source::token_range at, std::uint64_t gap, std::uint64_t had) {
  const auto [first, last] = at;
  std::string extent = d.reader.text(first, last);
  if (gap == had) return extent;
  // In "TILE + 1", the 1 is the number of free elements, so it is replaced.
  if (had != 0 && last >= first + 2 && d.tokens[last - 1].spelled == "+" &&
      source::plain_number(d.tokens[last].spelled) == had)
    return d.reader.text(first, last - 2) + (gap == 0 ? "" : formatted(" + {}", gap));
  return source::summand(d.reader, at) + (gap > had ? formatted(" + {}", gap - had) : formatted(" - {}", had - gap));
}

// Whether the use is sizeof(tile[0]) or sizeof tile.
bool is_size(const draft& d, const source::use& u) {
  return d.tokens[u.name - 1].spelled == "sizeof" ||
         (d.tokens[u.name - 1].spelled == "(" && d.tokens[u.name - 2].spelled == "sizeof");
}

// Changes a pitch that is the argument of a call, as in wmma::load_matrix_sync(a, &tile[0][0], LD).
bool follow_pitch(draft& d, const source::use& u, std::uint64_t gap, std::uint64_t had) {
  const auto [name, open] = d.reader.call_around(u.name);
  if (name == 0 || (d.tokens[name].spelled != "load_matrix_sync" && d.tokens[name].spelled != "store_matrix_sync"))
    return false;
  const auto arguments = d.reader.list_in(open);
  if (arguments.size() < 3) return false;
  const auto [first, last] = arguments[2];
  const std::string pitch = d.reader.text(first, last),
                    was = d.reader.text(d.declared.extent.back().first, d.declared.extent.back().second);
  if (pitch != was && !(first == last && source::plain_number(pitch) == d.columns + had)) {
    d.doubt(d.tokens[first].line, formatted("the number {} may be the row length of {}", pitch, d.name));
    return true;
  }
  if (gap != had) d.replace(first, last, pitch == was ? d.extent : std::to_string(d.columns + gap));
  return true;
}

}  // namespace

void set_pitch(draft& d, std::uint64_t gap) {
  const std::uint64_t had = d.problem.as_it_is.gap / d.shape.element_bytes;
  d.extent = longer(d, d.declared.extent.back(), gap, had);
  if (gap == had) return;
  d.replace(d.declared.extent.back().first, d.declared.extent.back().second, d.extent);
  for (const auto& extents : d.handed)
    d.replace(extents.back().first, extents.back().second, longer(d, extents.back(), gap, had));
}

void check_pitch_uses(draft& d, std::uint64_t gap) {
  d.made.words = d.declared_words();
  const std::uint64_t had = d.problem.as_it_is.gap / d.shape.element_bytes;
  for (const source::use& u : d.uses) {
    const std::uint32_t line = d.tokens[u.name].line;
    if (is_size(d, u)) {
      if (!d.is_whole(u) && gap != had)
        d.doubt(line, formatted("the layout changes the size of {} or of its rows", d.name));
      continue;
    }
    if (follow_pitch(d, u, gap, had)) continue;
    if (const auto why = gap != had ? needs_its_rows(d, u) : std::nullopt) return d.refuse(*why);
    if (!d.is_whole(u))
      d.doubt(line, u.index.empty() ? formatted("{} is used without an index", d.name)
                                    : formatted("a row of {} is passed to a function", d.name));
    else if (auto why = goes_beyond(d, u))
      d.doubt(line, std::move(*why));
  }
}

void pad_columns(draft& d) {
  if (!all_indexed(d)) {
    d.refuse(formatted("at least one use of {} does not access an element with all its indices", d.name));
    return;
  }
  const std::uint64_t every = d.answer.layout.every / d.shape.element_bytes,
                      gap = d.answer.layout.gap / d.shape.element_bytes;
  // The division is unsigned, so that the compiler knows that adjacent columns stay adjacent.
  const std::string moved = formatted(" / {}u{}", every, gap == 1 ? "" : formatted(" * {}", gap));
  const auto longer_extent = [&](const source::token_range& at) {
    return formatted("{} + {}{}", source::summand(d.reader, at), source::operand(d.reader, at), moved);
  };
  d.extent = longer_extent(d.declared.extent.back());
  d.replace(d.declared.extent.back().first, d.declared.extent.back().second, d.extent);
  for (const auto& extents : d.handed)
    d.replace(extents.back().first, extents.back().second, longer_extent(extents.back()));
  for (const source::use& u : d.uses) {
    const source::token_range index = u.index[d.rows - 1];
    if (!source::repeats(d.reader, index)) {
      d.doubt(d.tokens[u.name].line, formatted("an index of {} has a side effect", d.name));
      d.refuse(formatted("an index of {} has a side effect, and the edit would write this index twice", d.name));
      return;
    }
    d.replace(index.first, index.second,
              formatted("{} + {}{}", source::summand(d.reader, index), source::operand(d.reader, index), moved));
  }
  d.made.words = formatted("{}, column i at i + i{}", d.declared_words(), moved);
}

}  // namespace bankwise::edit
