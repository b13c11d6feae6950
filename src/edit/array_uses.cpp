#include "edit/array_uses.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "edit/element_reach.hpp"
#include "edit/index_check.hpp"

namespace bankwise::edit {

namespace {

// Adds a doubt if the first access to another member of the union is a read. Such a read may return bytes that were
// stored through this array, and the edit moves these bytes.
void doubt_other_members(draft& d) {
  std::vector<std::string_view> known = {d.name};
  for (std::size_t i = d.declared.stop; i + 2 < std::min(d.declared.close, d.tokens.size()); ++i) {
    if (d.tokens[i].spelled != d.declared.variable || d.tokens[i + 1].spelled != "." ||
        d.tokens[i + 2].is != source::token::kind::word)
      continue;
    const std::string_view member = d.tokens[i + 2].spelled;
    if (std::find(known.begin(), known.end(), member) != known.end()) continue;
    known.push_back(member);
    std::size_t end = i + 3;
    while (end < d.tokens.size() && d.tokens[end].spelled == "[") end = source::closing(d.tokens, end) + 1;
    if (end > i + 3 && end < d.tokens.size() && d.tokens[end].spelled != "=")
      d.doubt(d.tokens[i].line,
              formatted("this line reads {}, which uses the same memory as the array {}", member, d.name));
  }
}

struct handed_array {
  source::function f;
  std::vector<source::token_range> extents;
  std::size_t name = 0;  // token of the parameter
};
std::optional<handed_array> parameter_of(const draft& d, const source::use& u) {
  const std::size_t open = d.reader.call_around(u.name).second;
  if (open == 0 || d.tokens[open].spelled != "(") return std::nullopt;
  const std::size_t name = d.reader.callee(open);
  const auto argument = d.reader.argument_at(open, u.name, u.name);
  if (name == 0 || !argument) return std::nullopt;
  const std::size_t count = d.reader.list_in(open).size();
  const auto all = d.reader.functions(d.tokens[name].spelled, count);
  if (all.size() != 1) return std::nullopt;
  handed_array h{all[0], {}, 0};
  const auto [first, last] = h.f.parameters[*argument];
  std::size_t dimensions = 0;
  for (std::size_t i = first; i <= last; ++i) {
    if (d.tokens[i].spelled != "[") continue;
    const std::size_t close = source::closing(d.tokens, i);
    if (close > last) return std::nullopt;
    if (dimensions == 0) h.name = i - 1;
    // In T a[][W], only the first extent may be missing.
    if (close == i + 1 && dimensions != 0) return std::nullopt;
    ++dimensions;
    if (close != i + 1) h.extents.emplace_back(i + 1, close - 1);
    i = close;
  }
  // In T (*a)[W], the parameter has one extent less, and in T (&a)[H][W] it has all of them.
  if (dimensions != 0 && d.tokens[h.name].spelled == ")" && h.name >= first + 3) {
    const std::string_view sign = d.tokens[h.name - 2].spelled;
    if (d.tokens[h.name - 3].spelled != "(" || (sign != "*" && sign != "&")) return std::nullopt;
    if (sign == "*") ++dimensions;
    --h.name;
  }
  if (dimensions != d.shape.extents.size() || dimensions < 2 || h.extents.empty() ||
      d.tokens[h.name].is != source::token::kind::word)
    return std::nullopt;
  // The call deduces an extent that is a template parameter, so the parameter follows the array by itself, and other
  // uses of the extent would change with it.
  for (std::size_t i = h.extents.back().first; d.tokens[name + 1].spelled == "(" && i <= h.extents.back().second; ++i)
    if (d.reader.is_template_parameter(d.tokens[i].spelled)) return std::nullopt;
  // If another call passes a different array, the function cannot be edited, because that array keeps its extents.
  for (std::size_t i = 1; i < d.tokens.size(); ++i) {
    if (d.tokens[i].spelled != d.tokens[name].spelled || d.tokens[i].is != source::token::kind::word || i == h.f.name)
      continue;
    const std::size_t other = d.reader.bracket_after(i);
    const auto list = other < d.tokens.size() ? d.reader.list_in(other) : std::vector<source::token_range>();
    if (list.size() != count || i < d.declared.stop || i > d.declared.close) return std::nullopt;
    const auto [from, to] = list[*argument];
    if (from != to || d.tokens[from].spelled != d.name) return std::nullopt;
  }
  return h;
}

// Whether the array is assigned to a pointer to rows, as in T (*p)[W] = tile.
bool is_of_row_pointer(const draft& d, const source::use& u) {
  const std::size_t name = u.name;
  if (name < 6 || d.tokens[name - 1].spelled != "=" || d.tokens[name - 2].spelled != "]") return false;
  std::size_t at = name - 2;
  while (at > 1 && d.tokens[at].spelled != "[") --at;
  return d.tokens[at - 1].spelled == ")" && d.tokens[at - 2].is == source::token::kind::word;
}

}  // namespace

std::optional<std::string> needs_its_rows(const draft& d, const source::use& u) {
  if (!u.index.empty()) return std::nullopt;
  if (is_of_row_pointer(d, u))
    return formatted("line {} declares a pointer to rows, whose length would differ from the new rows",
                     d.tokens[u.name].line);
  const std::size_t open = d.reader.call_around(u.name).second;
  if (open == 0 || d.tokens[open].spelled != "(") return std::nullopt;
  const std::size_t name = d.reader.callee(open);
  const auto argument = d.reader.argument_at(open, u.name, u.name);
  if (name == 0 || !argument) return std::nullopt;
  const auto all = d.reader.functions(d.tokens[name].spelled, d.reader.list_in(open).size());
  if (all.size() != 1) return std::nullopt;
  const auto [first, last] = all[0].parameters[*argument];
  bool has_rows = false;
  for (std::size_t i = first; i <= last; ++i) {
    // The call deduces a length that is a parameter of the template.
    if (d.reader.is_template_parameter(d.tokens[i].spelled)) return std::nullopt;
    has_rows |= d.tokens[i].spelled == "[" && d.tokens[i + 1].spelled != "]";
  }
  if (!has_rows) return std::nullopt;
  return formatted("the parameter of {} on line {} has rows whose length would differ from the new rows",
                   d.tokens[name].spelled, d.tokens[all[0].name].line);
}

void doubt_aliases(draft& d) {
  for (const source::declaration& other : d.reader.declarations(d.name))
    if (other.name != d.declared.name && other.name > d.declared.stop && other.name < d.declared.close)
      d.doubt(d.tokens[other.name].line, formatted("another array has the name {}", d.name));
  for (const source::use& u : d.uses)
    if (d.reader.is_declared_at(u.name))
      d.doubt(d.tokens[u.name].line, formatted("another variable has the name {}", d.name));
  if (!d.declared.variable.empty()) doubt_other_members(d);
}

// Adds doubts about indices such as tile[0][k] with k larger than a row, or tile[y + 1][x - 32]. If rows become longer
// or columns are exchanged, such indices select a different element. If the array has more than two dimensions and the
// xor uses the row, this is also true for a row that leaves its plane.
void doubt_indices(draft& d, const expr::array_decl& shape) {
  source::known_names names = d.names;
  names.constants = d.constants_of(shape);
  const bool by_rows = d.answer.layout.every == d.columns * d.shape.element_bytes;
  const auto columns = shape.extents.back() +
                       std::min(d.problem.as_it_is.gap, by_rows ? d.answer.layout.gap : 0) / d.shape.element_bytes;
  for (const source::use& u : d.uses) {
    if (!d.is_whole(u)) continue;
    const auto look = [&](std::size_t dimension, std::uint64_t extent, const char* what) {
      if (auto why = doubt_of_index(d.reader, u, dimension, extent, what, d.declared.open, names))
        d.doubt(d.tokens[u.name].line, std::move(*why));
    };
    look(d.rows - 1, columns, "column");
    if (d.rows > 2 && !d.answer.layout.terms.empty()) look(d.rows - 2, shape.extents[d.rows - 2], "row");
  }
}

// Whether this name is the only name of the dynamic memory. Any further name would name the same bytes.
bool is_only_memory(draft& d) {
  for (std::size_t i = 0; i < d.tokens.size(); ++i)
    if (d.tokens[i].spelled == "__shared__" && i != d.declared.word && i > 0 &&
        (d.tokens[i - 1].spelled == "extern" || d.tokens[i + 1].spelled == "extern") && i > d.declared.open &&
        i < d.declared.close) {
      d.refuse(formatted("line {} has another name for the memory of {}", d.tokens[i].line, d.name));
      return false;
    }
  for (const std::uint32_t line : d.lines)
    if (std::none_of(d.uses.begin(), d.uses.end(),
                     [&](const source::use& u) { return line >= u.first_line && line <= u.last_line; })) {
      d.refuse(formatted("line {} accesses the memory of {} under another name", line, d.name));
      return false;
    }
  return true;
}

// Follows an array with rows into functions of this source that have a parameter `T a[H][W]`. If every call of such a
// function passes this array, the indices in the function are accesses. The extents of the parameter then change
// together with the extents of the declaration.
void follow_into_functions(draft& d) {
  std::vector<source::use> kept;
  std::vector<std::size_t> seen;
  for (std::size_t n = 0; n < d.uses.size(); ++n) {
    const source::use u = d.uses[n];
    const auto handed = u.index.empty() ? parameter_of(d, u) : std::nullopt;
    if (!handed) {
      kept.push_back(u);
      continue;
    }
    const auto& [f, extents, name] = *handed;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    d.handed.push_back(extents);
    const auto inside = d.reader.uses(d.tokens[name].spelled, f.open, f.close);
    d.uses.insert(d.uses.end(), inside.begin(), inside.end());
  }
  d.uses = std::move(kept);
}

std::optional<std::string> goes_beyond(const draft& d, const source::use& u) {
  return reached_beyond(d.reader, u, d.answer.layout, d.shape.element_bytes,
                        std::min(d.declared.close, d.tokens.size()));
}

bool all_indexed(draft& d) {
  bool all = true;
  for (const source::use& u : d.uses) {
    const auto why = d.is_whole(u) ? goes_beyond(d, u) : std::nullopt;
    if (d.is_whole(u) && !why) continue;
    d.doubt(d.tokens[u.name].line, why               ? *why
                                   : u.index.empty() ? formatted("{} is used without an index", d.name)
                                                     : formatted("a row of {} is passed to a function", d.name));
    all = false;
  }
  return all;
}

// Adds doubts about lines of the report that do not contain the array's name. Such lines access the array through a
// function.
void doubt_unseen_lines(draft& d) {
  if (d.made.doubts.empty()) return;
  for (const std::uint32_t line : d.lines)
    if (std::none_of(d.uses.begin(), d.uses.end(),
                     [&](const source::use& u) { return line >= u.first_line && line <= u.last_line; }))
      d.doubt(line, formatted("this line accesses {} under another name", d.name));
}

}  // namespace bankwise::edit
