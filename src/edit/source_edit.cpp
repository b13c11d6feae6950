#include "edit/source_edit.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/element_reach.hpp"
#include "edit/index_check.hpp"
#include "edit/row_alignment.hpp"
#include "source/index_text.hpp"
#include "source/source_reader.hpp"

namespace bankwise::advise {

namespace {

using tokens = source_reader::tokens;
using kind = source_token::kind;

std::string number(std::uint64_t n) { return std::to_string(n); }

// Makes the edit of one answer.
class editor {
 public:
  editor(const source_reader& r, const declaration& d, const expr::array_decl& shape, const problem& p, const answer& a,
         const std::vector<std::uint32_t>& lines, const threads_of_block& block,
         const std::vector<expr::array_decl>& others)
      : r_(r), t_(r.all()), d_(d), shape_(shape), p_(p), a_(a), lines_(lines), others_(others), uses_(r.uses(d)) {
    names_.block = block;
  }

  source_edit run() {
    name_ = t_[d_.name].spelled;
    launch_sized_ = d_.extent.size() == 1 && d_.extent[0].first > d_.extent[0].second;
    if (d_.extent.empty() || shape_.extents.empty())
      return refuse(
          formatted("what {} on line {} comes to is not known: a type or constant of it was not found in the source",
                    declaration_text(), number(t_[d_.name].line)));
    // Rows that its code makes of one index are none of the declaration.
    rows_ = p_.flat && d_.extent.size() == 1 ? 1 : shape_.extents.size();
    if (d_.extent.size() != rows_)
      return refuse(formatted("the declaration of {} on line {} has other extents than the array that was found", name_,
                              number(t_[d_.name].line)));
    for (const auto& [first, last] : d_.extent)
      if (first > last && !launch_sized_) return refuse("an extent of " + name_ + " is not spelled out");
    for (const source_token& t : t_)
      if (t.of_directive && t.is == kind::word && t.spelled == name_) {
        doubt(t.line, "a macro uses " + name_);
        return refuse("a macro uses " + name_);
      }
    const std::uint64_t element = shape_.element_bytes;
    if (element == 0 || p_.as_it_is.gap % element != 0 || a_.layout.gap % element != 0 ||
        a_.layout.every % element != 0)
      return refuse("the padding is not a whole number of elements");
    columns_ = rows_ > 1 ? shape_.extents.back() : 0;
    const bool by_rows = columns_ != 0 && a_.layout.every == columns_ * element;
    find_aliases();
    names_.constants = constants_of(shape_);
    check_template();
    if (launch_sized_ && !is_only_memory()) return e_;
    follow_into_functions();
    if (a_.layout.panel_bytes != 0) return refuse("panels change every index and the copies");
    if (columns_ != 0 && (a_.layout.every == 0 || by_rows)) {
      const std::uint64_t gap = a_.layout.every == 0 ? 0 : a_.layout.gap / element;
      set_pitch(gap);
      if (!a_.layout.terms.empty()) {
        if (gap != 0) return refuse("a padding and a swizzle at once change every index in two ways");
        xor_columns();
      } else {
        check_pitch_uses(gap);
      }
    } else if (columns_ == 0) {
      if (p_.as_it_is.every == 0)
        move_elements();
      else
        change_named_padding();
    } else if (a_.layout.every < columns_ * element && columns_ * element % a_.layout.every == 0 &&
               a_.layout.terms.empty() && p_.as_it_is.every == 0) {
      pad_columns();
    } else {
      return refuse("free bytes after every " + number(a_.layout.every) +
                    " are neither after rows nor at one place in all of them");
    }
    if (!e_.refused.empty()) return e_;
    if (columns_ != 0 && !e_.changes.empty()) {
      check_indices(shape_);
      for (const expr::array_decl& other : others_)
        if (other.extents.size() == shape_.extents.size() && other.extents != shape_.extents) check_indices(other);
    }
    if (!e_.changes.empty()) align();
    check_lines();
    if (!in_order(e_.changes)) return refuse("an index of " + name_ + " is inside another index of it");
    for (const text_change& c : e_.changes) changed_lines_.push_back(line_of(c.begin));
    changed_lines_.erase(std::unique(changed_lines_.begin(), changed_lines_.end()), changed_lines_.end());
    list_lines();
    return e_;
  }

 private:
  source_edit refuse(std::string why) {
    e_.refused = std::move(why);
    e_.changes.clear();
    e_.words.clear();
    return e_;
  }
  void doubt(std::uint32_t line, std::string what) {
    by_hand b{line, std::move(what)};
    if (std::find(e_.doubts.begin(), e_.doubts.end(), b) == e_.doubts.end()) e_.doubts.push_back(std::move(b));
  }
  void replace(std::size_t first, std::size_t last, std::string with) {
    e_.changes.push_back({t_[first].at, t_[last].end(), std::move(with)});
  }
  std::uint32_t line_of(std::size_t at) const {
    return static_cast<std::uint32_t>(
        std::count(r_.source().begin(), r_.source().begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  }

  // A declaration of the same name in the block, or in a block within it, is another variable.
  void find_aliases() {
    for (const declaration& other : r_.declarations(name_))
      if (other.name != d_.name && other.name > d_.stop && other.name < d_.close)
        doubt(t_[other.name].line, "another array has the name " + name_);
    for (const use& u : uses_)
      if (r_.is_declared_at(u.name)) doubt(t_[u.name].line, "another variable has the name " + name_);
    if (!d_.variable.empty()) find_other_members();
  }

  // Another member of its union that is read first: the read may see what this array stored.
  void find_other_members() {
    std::vector<std::string_view> known = {name_};
    for (std::size_t i = d_.stop; i + 2 < std::min(d_.close, t_.size()); ++i) {
      if (t_[i].spelled != d_.variable || t_[i + 1].spelled != "." || t_[i + 2].is != kind::word) continue;
      const std::string_view member = t_[i + 2].spelled;
      if (std::find(known.begin(), known.end(), member) != known.end()) continue;
      known.push_back(member);
      std::size_t end = i + 3;
      while (end < t_.size() && t_[end].spelled == "[") end = closing(t_, end) + 1;
      if (end > i + 3 && end < t_.size() && t_[end].spelled != "=")
        doubt(t_[i].line, formatted("{} is the same memory as {}, and is read here", member, name_));
    }
  }

  // Extents that are a name each, as template arguments are, have the numbers of the array that was found.
  std::map<std::string, std::int64_t, std::less<>> constants_of(const expr::array_decl& shape) const {
    std::map<std::string, std::int64_t, std::less<>> constants;
    for (std::size_t i = 0; i < d_.extent.size() && i < shape.extents.size(); ++i) {
      const auto [first, last] = d_.extent[i];
      const bool has_padding = i + 1 == d_.extent.size() && p_.as_it_is.gap != 0;
      if (first == last && t_[first].is == kind::word && !has_padding)
        constants.emplace(t_[first].spelled, static_cast<std::int64_t>(shape.extents[i]));
    }
    return constants;
  }

  // tile[0][k] with k over more than a row, tile[y + 1][x - 32]: such an index means another place once rows are
  // longer, or columns are exchanged. With more than two dimensions, a row may leave its plane if the xor uses the row.
  void check_indices(const expr::array_decl& shape) {
    known_names names = names_;
    names.constants = constants_of(shape);
    const bool by_rows = a_.layout.every == columns_ * shape_.element_bytes;
    const auto columns =
        shape.extents.back() + std::min(p_.as_it_is.gap, by_rows ? a_.layout.gap : 0) / shape_.element_bytes;
    for (const use& u : uses_) {
      if (!is_whole(u)) continue;
      const auto look = [&](std::size_t dimension, std::uint64_t extent, const char* what) {
        if (auto why = doubt_of_index(r_, u, dimension, extent, what, d_.open, names))
          doubt(t_[u.name].line, std::move(*why));
      };
      look(rows_ - 1, columns, "column");
      if (rows_ > 2 && !a_.layout.terms.empty()) look(rows_ - 2, shape.extents[rows_ - 2], "row");
    }
  }

  // The numbers of an xor are right only for these extents, and other instances of a template have other extents.
  void check_template() {
    if (a_.layout.terms.empty()) return;
    for (const auto& [first, last] : d_.extent)
      for (std::size_t i = first; i <= last && first <= last; ++i)
        if (t_[i].is == kind::word && r_.is_template_parameter(t_[i].spelled))
          doubt(t_[d_.name].line, "the xor is for this " + std::string(t_[i].spelled) +
                                      ", and the template may be used with another one");
  }

  // Wide accesses stay whole where the compiler sees that rows begin at whole multiples of them.
  void align() {
    if (launch_sized_) return;
    if (auto aligned = keep_alignment(r_, d_, granule_bytes(p_), shape_.element_bytes)) {
      e_.changes.push_back(std::move(aligned->change));
      e_.words += aligned->words;
    }
  }

  // An extent, with so many free elements instead of those that it has.
  std::string longer(token_range at, std::uint64_t gap, std::uint64_t had) const {
    const auto [first, last] = at;
    std::string extent = r_.text(first, last);
    if (gap == had) return extent;
    // "TILE + 1" had one free element: the 1 is what changes.
    if (had != 0 && last >= first + 2 && t_[last - 1].spelled == "+" && plain_number(t_[last].spelled) == had)
      return r_.text(first, last - 2) + (gap == 0 ? "" : " + " + number(gap));
    return summand(r_, at) + (gap > had ? " + " + number(gap - had) : " - " + number(had - gap));
  }

  void set_pitch(std::uint64_t gap) {
    const std::uint64_t had = p_.as_it_is.gap / shape_.element_bytes;
    extent_ = longer(d_.extent.back(), gap, had);
    if (gap == had) return;
    replace(d_.extent.back().first, d_.extent.back().second, extent_);
    for (const auto& extents : handed_)
      replace(extents.back().first, extents.back().second, longer(extents.back(), gap, had));
  }

  std::string declared_words() const {
    std::string words = name_;
    for (std::size_t i = 0; i < d_.extent.size(); ++i)
      words += "[" + (i + 1 == d_.extent.size() ? extent_ : r_.text(d_.extent[i].first, d_.extent[i].second)) + "]";
    return words;
  }

  std::string declaration_text() const {
    std::string text = name_;
    for (const auto& [first, last] : d_.extent) text += "[" + (first > last ? "" : r_.text(first, last)) + "]";
    return text;
  }

  // The name of all dynamic memory, and the only one: another one would be the same bytes.
  bool is_only_memory() {
    for (std::size_t i = 0; i < t_.size(); ++i)
      if (t_[i].spelled == "__shared__" && i != d_.word && i > 0 &&
          (t_[i - 1].spelled == "extern" || t_[i + 1].spelled == "extern") && i > d_.open && i < d_.close) {
        refuse(formatted("line {} has another name for the memory of {}", number(t_[i].line), name_));
        return false;
      }
    for (const std::uint32_t line : lines_)
      if (std::none_of(uses_.begin(), uses_.end(),
                       [&](const use& u) { return line >= u.first_line && line <= u.last_line; })) {
        refuse(formatted("line {} accesses the memory of {} by another name", number(line), name_));
        return false;
      }
    return true;
  }

  // A row array that is handed to functions of this source: `T a[H][W]` among their parameters. Where every call of such a
  // function hands over this array, its indices there are accesses, and its extents there change as those of the declaration.
  void follow_into_functions() {
    std::vector<use> kept;
    std::vector<std::size_t> seen;  // parameters
    for (std::size_t n = 0; n < uses_.size(); ++n) {
      const use u = uses_[n];
      const auto handed = u.index.empty() ? parameter_of(u) : std::nullopt;
      if (!handed) {
        kept.push_back(u);
        continue;
      }
      const auto& [f, extents, name] = *handed;
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      handed_.push_back(extents);
      const auto inside = r_.uses(t_[name].spelled, f.open, f.close);
      uses_.insert(uses_.end(), inside.begin(), inside.end());
    }
    uses_ = std::move(kept);
  }

  struct handed_array {
    function f;
    std::vector<token_range> extents;
    std::size_t name = 0;  // of the parameter
  };
  std::optional<handed_array> parameter_of(const use& u) const {
    const std::size_t open = r_.call_around(u.name).second;
    if (open == 0 || t_[open].spelled != "(") return std::nullopt;
    const std::size_t name = r_.callee(open);
    const auto argument = r_.argument_at(open, u.name, u.name);
    if (name == 0 || !argument) return std::nullopt;
    const std::size_t count = r_.list_in(open).size();
    const auto all = r_.functions(t_[name].spelled, count);
    if (all.size() != 1) return std::nullopt;
    handed_array h{all[0], {}, 0};
    const auto [first, last] = h.f.parameters[*argument];
    for (std::size_t i = first; i <= last; ++i) {
      if (t_[i].spelled != "[") continue;
      const std::size_t close = closing(t_, i);
      if (close > last || close == i + 1) return std::nullopt;
      if (h.extents.empty()) h.name = i - 1;
      h.extents.emplace_back(i + 1, close - 1);
      i = close;
    }
    if (h.extents.size() != shape_.extents.size() || h.extents.size() < 2 || t_[h.name].is != kind::word)
      return std::nullopt;
    // Who else calls it hands over another array, whose extents stay as they are.
    for (std::size_t i = 1; i < t_.size(); ++i) {
      if (t_[i].spelled != t_[name].spelled || t_[i].is != kind::word || i == h.f.name) continue;
      const std::size_t other = r_.bracket_behind(i);
      const auto list = other < t_.size() ? r_.list_in(other) : std::vector<token_range>();
      if (list.size() != count || i < d_.stop || i > d_.close) return std::nullopt;
      const auto [from, to] = list[*argument];
      if (from != to || t_[from].spelled != name_) return std::nullopt;
    }
    return h;
  }

  // What the code does with the element of a use, in addition to reading and writing it.
  std::optional<std::string> goes_beyond(const use& u) const {
    return reached_beyond(r_, u, a_.layout, shape_.element_bytes, std::min(d_.close, t_.size()));
  }

  // sizeof(tile[0]), sizeof tile
  bool is_size(const use& u) const {
    return t_[u.name - 1].spelled == "sizeof" || (t_[u.name - 1].spelled == "(" && t_[u.name - 2].spelled == "sizeof");
  }

  bool is_whole(const use& u) const { return u.index.size() >= rows_; }

  // Rows that are longer: what has all its indices stays as it is.
  void check_pitch_uses(std::uint64_t gap) {
    e_.words = declared_words();
    const std::uint64_t had = p_.as_it_is.gap / shape_.element_bytes;
    for (const use& u : uses_) {
      const std::uint32_t line = t_[u.name].line;
      if (is_size(u)) {
        if (!is_whole(u) && gap != had) doubt(line, "the size of " + name_ + " or of its rows changes");
        continue;
      }
      if (follow_pitch(u, gap, had)) continue;
      if (!is_whole(u))
        doubt(line, u.index.empty() ? name_ + " is passed on without an index" : "a row of " + name_ + " is passed on");
      else if (auto why = goes_beyond(u))
        doubt(line, std::move(*why));
    }
  }

  // wmma::load_matrix_sync(a, &tile[0][0], LD): the pitch is an argument.
  bool follow_pitch(const use& u, std::uint64_t gap, std::uint64_t had) {
    const auto [name, open] = r_.call_around(u.name);
    if (name == 0 || (t_[name].spelled != "load_matrix_sync" && t_[name].spelled != "store_matrix_sync")) return false;
    const auto arguments = r_.list_in(open);
    if (arguments.size() < 3) return false;
    const auto [first, last] = arguments[2];
    const std::string pitch = r_.text(first, last), was = r_.text(d_.extent.back().first, d_.extent.back().second);
    if (pitch != was && !(first == last && plain_number(pitch) == columns_ + had)) {
      doubt(t_[first].line, formatted("the pitch {} may be that of {}", pitch, name_));
      return true;
    }
    if (gap != had) replace(first, last, pitch == was ? extent_ : number(columns_ + gap));
    return true;
  }

  // Whether every place where the name stands is an access that can be rewritten; says which is not.
  bool all_indexed() {
    bool all = true;
    for (const use& u : uses_) {
      const auto why = is_whole(u) ? goes_beyond(u) : std::nullopt;
      if (is_whole(u) && !why) continue;
      doubt(t_[u.name].line, why               ? *why
                             : u.index.empty() ? name_ + " is used without an index"
                                               : "a row of " + name_ + " is passed on");
      all = false;
    }
    return all;
  }

  // What is xored into the column: bits of the row, or of the column itself.
  struct column_term {
    enum { row, column, both } of = column;  // both: the element's place in the array
    u32 right = 0;                           // bits that it is moved down by, in elements
    std::uint64_t mask = 0;                  // then; 0: all that are there
    std::uint64_t unit = 1;                  // elements that move together
  };

  // Nothing: some term does something else.
  std::optional<std::vector<column_term>> column_terms() const {
    const std::uint64_t element = shape_.element_bytes, pitch = columns_ * element;
    const std::uint64_t outer = shape_.extents[shape_.extents.size() - 2];
    if (!std::has_single_bit(pitch) || !std::has_single_bit(element)) return std::nullopt;
    const int bits = std::countr_zero(pitch), low = std::countr_zero(element);
    std::vector<column_term> terms;
    bool keeps = false;
    for (const xor_term& t : a_.layout.terms) {
      if (t.shift == 0 && !keeps) {
        keeps = (~t.mask & (std::bit_ceil(p_.bytes) - 1)) == 0;
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
      // Of more than two dimensions the bits must be those of the last but one.
      if (to >= bits && shape_.extents.size() > 2 &&
          (!std::has_single_bit(outer) || to >= bits + std::countr_zero(outer)))
        return std::nullopt;
      const std::uint64_t most = (c.of == column_term::row      ? outer
                                  : c.of == column_term::column ? columns_
                                                                : outer * columns_) -
                                 1;
      const std::uint64_t reached = std::bit_ceil((most >> c.right) + 1) - 1;
      if ((reached & ~c.mask) == 0) c.mask = 0;
      terms.push_back(c);
    }
    return keeps && !terms.empty() ? std::optional(terms) : std::nullopt;
  }

  std::string place(const column_term& c, const std::string& row, const std::string& column) const {
    if (c.of == column_term::both) return formatted("({} * {} + {})", row, number(columns_), column);
    return c.of == column_term::row ? row : column;
  }

  static std::string text_of_term(const column_term& c, std::string x) {
    if (c.right != 0) x += " >> " + number(c.right);
    if (c.mask != 0) x = formatted("{} & {}", c.right != 0 ? "(" + x + ")" : x, number(c.mask));
    const bool plain = c.right == 0 && c.mask == 0;
    if (!plain) x = "(" + x + ")";
    return c.unit == 1 ? x : formatted("({} * {})", x, number(c.unit));
  }

  // The column becomes column ^ something: within rows of 2^n bytes.
  void xor_columns() {
    const auto terms = column_terms();
    if (!terms) {
      refuse("more than columns change: rows do, or parts of elements");
      return;
    }
    if (!all_indexed()) {
      refuse("not every use of " + name_ + " is an access with all its indices");
      return;
    }
    const std::size_t row_at = shape_.extents.size() - 2;
    for (const use& u : uses_) {
      const auto& row = u.index[row_at];
      const auto& column = u.index[row_at + 1];
      std::string now = operand(r_, column);
      for (const column_term& c : *terms) {
        if ((c.of != column_term::column && !repeats(r_, row)) || (c.of != column_term::row && !repeats(r_, column))) {
          doubt(t_[u.name].line, "an index of " + name_ + " does something besides");
          refuse("an index of " + name_ + " does something besides, and would be written twice");
          return;
        }
        now += " ^ " + text_of_term(c, place(c, operand(r_, row), operand(r_, column)));
      }
      replace(column.first, column.second, now);
    }
    std::string index = "column";
    for (const column_term& c : *terms) index += " ^ " + text_of_term(c, place(c, "row", "column"));
    e_.words = formatted("{}, its columns {}", declared_words(), index);
  }

  // Free elements within rows, at the same columns of each: the column is what changes.
  void pad_columns() {
    if (!all_indexed()) {
      refuse("not every use of " + name_ + " is an access with all its indices");
      return;
    }
    const std::uint64_t every = a_.layout.every / shape_.element_bytes, gap = a_.layout.gap / shape_.element_bytes;
    // Unsigned: for signed numbers the compiler does not see that neighbours stay neighbours.
    const std::string moved = formatted(" / {}u{}", number(every), gap == 1 ? "" : " * " + number(gap));
    const auto longer_extent = [&](const token_range& at) {
      return formatted("{} + {}{}", summand(r_, at), operand(r_, at), moved);
    };
    extent_ = longer_extent(d_.extent.back());
    replace(d_.extent.back().first, d_.extent.back().second, extent_);
    for (const auto& extents : handed_)
      replace(extents.back().first, extents.back().second, longer_extent(extents.back()));
    for (const use& u : uses_) {
      const token_range index = u.index[rows_ - 1];
      if (!repeats(r_, index)) {
        doubt(t_[u.name].line, "an index of " + name_ + " does something besides");
        refuse("an index of " + name_ + " does something besides, and would be written twice");
        return;
      }
      replace(index.first, index.second, formatted("{} + {}{}", summand(r_, index), operand(r_, index), moved));
    }
    e_.words = formatted("{}, column i at i + i{}", declared_words(), moved);
  }

  // "(BN + extraCols)" in the extent and in every index, where extraCols is a number that nothing else uses: then all of them
  // change with that number.
  void change_named_padding() {
    const std::uint64_t element = shape_.element_bytes, had = p_.as_it_is.gap / element;
    const auto [first, last] = d_.extent[0];
    std::size_t group = 0;
    for (std::size_t i = first; i + 4 <= last && !launch_sized_; ++i)
      if (t_[i].spelled == "(" && closing(t_, i) == i + 4 && t_[i + 1].is == kind::word && t_[i + 2].spelled == "+" &&
          t_[i + 3].is == kind::word)
        group = i;
    const std::string part_of_index = "the padding that is there is part of every index";
    if (group == 0) {
      refuse(part_of_index);
      return;
    }
    const std::string_view constant = t_[group + 3].spelled;
    std::size_t value = 0;
    std::vector<std::size_t> places;  // where it stands in a pitch
    for (std::size_t i = 1; i + 2 < t_.size(); ++i) {
      if (t_[i].spelled != constant || t_[i].is != kind::word) continue;
      const bool is_defined = t_[i - 1].spelled == "define" && t_[i + 1].is == kind::number &&
                              (i + 2 >= t_.size() || t_[i + 2].line != t_[i].line);
      bool is_constant = false;
      for (std::size_t k = i; k-- > 1 && t_[k].is == kind::word;)
        is_constant |= t_[k].spelled == "const" || t_[k].spelled == "constexpr";
      is_constant &= t_[i + 1].spelled == "=" && t_[i + 2].is == kind::number &&
                     (t_[i + 3].spelled == ";" || t_[i + 3].spelled == ",");
      if ((is_defined || is_constant) && value == 0) {
        value = is_defined ? i + 1 : i + 2;
        continue;
      }
      const bool in_pitch = i >= 3 && t_[i - 3].spelled == "(" && t_[i - 2].spelled == t_[group + 1].spelled &&
                            t_[i - 1].spelled == "+" && t_[i + 1].spelled == ")";
      if (!in_pitch) {
        refuse(formatted("{}, and {} on line {} is something else", part_of_index, constant, number(t_[i].line)));
        return;
      }
      places.push_back(i);
    }
    if (value == 0 || plain_number(t_[value].spelled) != had) {
      refuse(formatted("{}, and {} is not a number of its own in this source", part_of_index, constant));
      return;
    }
    // Each place in one index of this array, where it multiplies a row; and one in each index.
    std::size_t inside = 0;
    for (const use& u : uses_) {
      const auto of_this = [&](std::size_t at) {
        return is_whole(u) && at > u.index[0].first && at < u.index[0].second &&
               (t_[at - 4].spelled == "*" || t_[at + 2].spelled == "*");
      };
      const auto here = std::count_if(places.begin(), places.end(), of_this);
      if (here != 1) {
        refuse(formatted("{}, and line {} has no row times ({} + {}) in it", part_of_index, number(t_[u.name].line),
                         t_[group + 1].spelled, constant));
        return;
      }
      const auto place = std::find_if(places.begin(), places.end(), of_this);
      if (auto why = doubt_of_column(r_, u, *place, p_.as_it_is.every / element, d_.open, names_))
        doubt(t_[u.name].line, std::move(*why));
      if (auto why = goes_beyond(u)) doubt(t_[u.name].line, std::move(*why));
      ++inside;
    }
    if (inside + 1 != places.size()) {
      refuse(formatted("{}, and {} is also in another array's", part_of_index, constant));
      return;
    }
    if (a_.layout.every == p_.as_it_is.every && a_.layout.terms.empty()) {
      const std::string now = number(a_.layout.gap / element);
      extent_ = r_.text(first, last);
      replace(value, value, now);
      e_.words = formatted("{} = {} in {}", constant, now, declaration_text());
      return;
    }
    replace(value, value, "0");
    move_elements();
    if (e_.refused.empty()) e_.words += ", and " + std::string(constant) + " = 0";
  }

  // "i ^ (i >> 5 & 31)", over elements; empty: it changes bytes within one, or moves by bits below.
  std::string xor_of_elements(const std::string& i) const {
    const std::uint64_t element = shape_.element_bytes;
    if (!std::has_single_bit(element)) return {};
    const int low = std::countr_zero(element);
    std::string text = i;
    bool keeps = false;
    for (const xor_term& t : a_.layout.terms) {
      if (t.shift == 0 && !keeps) {
        keeps = (~t.mask & (std::bit_ceil(p_.bytes) - 1)) == 0;
        continue;
      }
      if (t.mask == 0 || t.shift <= 0 || std::countr_zero(t.mask) < low) return {};
      text += formatted(" ^ ({} >> {} & {})", i, number(static_cast<std::uint64_t>(t.shift)), number(t.mask >> low));
    }
    return keeps && a_.layout.terms.size() > 1 && a_.layout.terms.size() <= 3 ? text : std::string();
  }

  // Elements of an array without rows: an index function beside the declaration.
  void move_elements() {
    const std::uint64_t element = shape_.element_bytes;
    if (!all_indexed()) {
      refuse("not every use of " + name_ + " is an access with its index");
      return;
    }
    const auto [first, last] = d_.extent[0];
    const std::string extent = launch_sized_ ? "" : operand(r_, d_.extent[0]);
    const bool moves_apart = a_.layout.every != 0, swaps = !a_.layout.terms.empty();
    std::string apart, swapped;
    if (moves_apart) {
      if (launch_sized_) {
        refuse(formatted("the launch says how long {} is: it would have to ask for {} bytes more", name_,
                         grouped(bytes_after(a_.layout, p_.bytes) - p_.bytes)));
        return;
      }
      const std::uint64_t every = a_.layout.every / element, gap = a_.layout.gap / element;
      const std::string times = gap == 1 ? "" : " * " + number(gap);
      apart = formatted("i + i / {}{}", number(every), times);
      const std::string whole = p_.bytes / element % every == 0 ? formatted("{} / {}", extent, number(every))
                                                                : formatted("({} + {}) / {}", summand(r_, d_.extent[0]),
                                                                            number(every - 1), number(every));
      extent_ = formatted("{} + {}{}", extent, whole, times);
      replace(first, last, extent_);
    } else {
      extent_ = launch_sized_ ? "" : r_.text(first, last);
    }
    if (swaps) {
      swapped = xor_of_elements(moves_apart ? "j" : "i");
      if (swapped.empty()) {
        refuse("it changes bytes within an element, or is an xor of more terms than people write");
        return;
      }
      // Blocks of the xor that the array does not fill would be written past its end.
      u32 changes = 0;
      for (const xor_term& t : a_.layout.terms) changes |= t.shift == 0 ? 0 : t.mask;
      const std::uint64_t block = (std::uint64_t{1} << std::bit_width(changes)) / element;
      const std::uint64_t gaps = moves_apart ? (p_.bytes + a_.layout.every - 1) / a_.layout.every : 0;
      const std::uint64_t elements = (p_.bytes + gaps * a_.layout.gap) / element;
      if (elements % block != 0 && !moves_apart && !launch_sized_) {
        extent_ = formatted("({} + {}) / {} * {}", summand(r_, d_.extent[0]), number(block - 1), number(block),
                            number(block));
        replace(first, last, extent_);
      } else if (elements % block != 0) {
        refuse("it needs an array of " + grouped((elements + block - 1) / block * block) + " elements");
        return;
      }
      if (launch_sized_)
        doubt(t_[d_.name].line,
              formatted("the launch must ask for whole multiples of {} elements of {}, as those that were run do",
                        grouped(block), name_));
    }
    const std::string function = !swaps ? apart : !moves_apart ? swapped : formatted("{}, j = {}", swapped, apart);
    const std::string body =
        swaps && moves_apart ? formatted("const unsigned j = {}; return {}", apart, swapped) : "return " + function;
    std::string helper = name_ + "_at";
    const auto taken = [&] {
      return std::any_of(t_.begin(), t_.end(), [&](const source_token& t) { return t.spelled == helper; });
    };
    while (taken()) helper += "_";
    for (const use& u : uses_)
      if (!u.index.empty()) {
        const auto [a, b] = u.index[0];
        replace(a, b, helper + argument(r_, u.index[0]));
      }
    // On a line of its own behind the declaration, as far in as that.
    const std::size_t stop = t_[d_.stop].end();
    const std::size_t begin = r_.source().rfind('\n', t_[d_.word].at) + 1;
    std::string indent;
    while (begin + indent.size() < r_.source().size() &&
           (r_.source()[begin + indent.size()] == ' ' || r_.source()[begin + indent.size()] == '\t'))
      indent += r_.source()[begin + indent.size()];
    if (d_.close >= t_.size()) {
      refuse(name_ + " is declared outside of a function");
      return;
    }
    e_.changes.push_back(
        {stop, stop, formatted("\n{}const auto {} = [](unsigned i) {{ {}; }};", indent, helper, body)});
    e_.words = formatted("{}[{}], element i at {}", name_, extent_, function);
  }

  // Where its name is passed on, lines of the report that do not show it are reached by another.
  void check_lines() {
    if (e_.doubts.empty()) return;
    for (const std::uint32_t line : lines_)
      if (std::none_of(uses_.begin(), uses_.end(),
                       [&](const use& u) { return line >= u.first_line && line <= u.last_line; }))
        doubt(line, name_ + " is accessed there by another name");
  }

  void list_lines() {
    const std::string after = changed(r_.source(), e_.changes);
    std::vector<std::string_view> lines = split(after, '\n');
    std::size_t more = 0;  // lines that came in before
    for (const std::uint32_t line : changed_lines_) {
      const std::size_t at = line + more - 1;
      if (at < lines.size()) e_.lines.push_back(formatted("{}: {}", number(line), spelled(lines[at])));
      for (const text_change& c : e_.changes)
        if (line_of(c.begin) == line)
          for (const char x : c.text)
            if (x == '\n' && at + 1 < lines.size()) {
              ++more;
              e_.lines.push_back(formatted("{}: {}", number(line), spelled(lines[at + 1])));
            }
    }
  }

  const source_reader& r_;
  const tokens& t_;
  const declaration& d_;
  const expr::array_decl& shape_;
  const problem& p_;
  const answer& a_;
  const std::vector<std::uint32_t>& lines_;
  const std::vector<expr::array_decl>& others_;
  std::vector<use> uses_;
  std::vector<std::vector<token_range>> handed_;  // extents of the parameters that it is handed over as
  std::string name_, extent_;
  std::size_t rows_ = 0;       // indices that an access has
  bool launch_sized_ = false;  // extern __shared__ float a[]
  known_names names_;
  std::uint64_t columns_ = 0;
  std::vector<std::uint32_t> changed_lines_;
  source_edit e_;
};

}  // namespace

source_edit edit_layout(std::string_view source, const declared_array& d, const expr::array_decl& shape,
                        const problem& p, const answer& a, const std::vector<std::uint32_t>& lines,
                        const threads_of_block& block, const std::vector<expr::array_decl>& others) {
  const source_reader r(source);
  for (const declaration& one : r.declarations(d.name))
    if (r.all()[one.name].at == d.at) return editor(r, one, shape, p, a, lines, block, others).run();
  source_edit none;
  none.refused = "the declaration of " + d.name + " is not there";
  return none;
}

}  // namespace bankwise::advise
