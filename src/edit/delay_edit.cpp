#include "edit/delay_edit.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

namespace {

constexpr std::uint64_t unrolled = 4;  // iterations in one round of an unrolled loop

std::string times(std::size_t n) { return n == 1 ? "" : formatted(", in {} places", grouped(n)); }

// Removes the call without arguments at token `i`, and its line if nothing else is on it. Its semicolon stays where it
// may be the only statement of a loop or branch.
void remove_call(delay_draft& d, std::size_t i) {
  const std::string_view before = d.word(i - 1);
  if (d.word(i + 3) != ";" || (before != ";" && before != "{")) return d.replace({i, i + 2}, "");
  const std::string_view source = d.reader.source();
  const std::size_t begin = source.rfind('\n', d.tokens[i].at) + 1, end = source.find('\n', d.tokens[i + 3].at);
  const std::string_view left = source.substr(begin, d.tokens[i].at - begin);
  if (end >= source.size() || !trim(left).empty() ||
      !trim(source.substr(d.tokens[i + 3].end(), end - d.tokens[i + 3].end())).empty())
    return d.replace({i, i + 3}, "");
  d.made.changes.push_back({begin, end + 1, ""});
}

void edit_barriers(delay_draft& d) {
  const auto k = need_kernel(d);
  if (!k) return;
  if (!has_line(d, *k)) return d.refuse(formatted("its barrier is not in the body of {} itself", d.kernel));
  const bool is_needless = d.what.about == "lanes";
  bool has_its_line = false;
  for (std::size_t i = k->open; i < k->close; ++i) {
    if (d.word(i) != "__syncthreads" || d.tokens[i].of_directive) continue;
    if (d.word(i + 1) != "(" || d.word(i + 2) != ")") continue;
    has_its_line |= d.tokens[i].line == d.line;
    if (is_needless)
      remove_call(d, i);
    else
      d.replace(i, "__syncwarp");
  }
  if (!has_its_line) return d.refuse(formatted("line {} has no __syncthreads()", d.line));
  d.made.words = formatted("__syncthreads() {}{}", is_needless ? "is removed" : "becomes __syncwarp()",
                           times(d.made.changes.size()));
}

// Whether a number is a floating literal without a suffix, such as 0.5, 1. or 1e-3.
bool is_double_literal(const source::token& t) {
  const std::string_view s = t.spelled;
  return t.is == source::token::kind::number && s.find_first_not_of("0123456789.eE+-'") == std::string_view::npos &&
         s.find_first_of(".eE") != std::string_view::npos;
}

bool is_double_call(const delay_draft& d, std::size_t i) {
  constexpr std::string_view names[] = {"sqrt", "pow",   "exp",  "log",  "sin",  "cos",   "tan", "tanh",
                                        "fabs", "floor", "ceil", "fmin", "fmax", "rsqrt", "cbrt"};
  if (d.tokens[i].is != source::token::kind::word || d.word(i + 1) != "(") return false;
  if (std::find(std::begin(names), std::end(names), d.tokens[i].spelled) == std::end(names)) return false;
  if (i == 0) return false;
  const source::token& before = d.tokens[i - 1];
  // After a type, the name is not called but declared.
  if (before.is == source::token::kind::word) return before.spelled == "return" || before.spelled == "else";
  return before.spelled != "::" && before.spelled != "." && before.spelled != "->";
}

void edit_doubles(delay_draft& d) {
  std::vector<std::string> names;
  bool is_of_macro = false;
  for (std::size_t i = 0; i < d.tokens.size(); ++i) {
    const source::token& t = d.tokens[i];
    if (t.line != d.line || (!is_double_literal(t) && !is_double_call(d, i))) continue;
    is_of_macro |= t.of_directive;
    std::string with = formatted("{}f", t.spelled);
    std::string name = formatted("{} becomes {}", t.spelled, with);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    d.replace(i, std::move(with));
  }
  if (is_of_macro) return d.refuse(formatted("line {} is in a macro", d.line));
  if (names.empty())
    return d.refuse(
        formatted("line {} has no constants without f, and calls no functions of doubles by their names", d.line));
  d.made.words = enumerated(names);
}

void bound_launch(delay_draft& d) {
  if (d.what.limit != "registers") return d.refuse(formatted("its limit is {}, not registers", d.what.limit));
  const auto k = need_kernel(d);
  if (!k) return;
  if (k->has_bounds) return d.refuse(formatted("{} already has __launch_bounds__", d.kernel));
  std::size_t at = k->name;
  while (at >= 2 && d.word(at - 1) == "::" && d.tokens[at - 2].is == source::token::kind::word) at -= 2;
  const std::string bounds = formatted("__launch_bounds__({}, {})", d.launch.threads(), d.what.then);
  d.made.changes.push_back({d.tokens[at].at, d.tokens[at].at, bounds + " "});
  d.made.words = formatted("{} gets {}", d.kernel, bounds);
}

// Returns the last token of the statement that begins at token `i`.
std::size_t statement_end(const delay_draft& d, std::size_t i, unsigned depth = 0) {
  constexpr unsigned deepest = 200;  // of nested statements without brackets
  const std::size_t none = d.tokens.size();
  while (i < none && d.tokens[i].of_directive) ++i;
  if (i >= none || depth > deepest) return none;
  const std::string_view s = d.word(i);
  if (s == "{") return source::closing(d.tokens, i);
  if (s == "for" || s == "while" || s == "if" || s == "switch") {
    std::size_t open = i + 1;
    if (d.word(open) == "constexpr") ++open;
    if (d.word(open) != "(") return none;
    const std::size_t close = source::closing(d.tokens, open);
    if (close >= none) return none;
    const std::size_t end = statement_end(d, close + 1, depth + 1);
    return s == "if" && d.word(end + 1) == "else" ? statement_end(d, end + 2, depth + 1) : end;
  }
  if (s == "do") {
    const std::size_t end = statement_end(d, i + 1, depth + 1);
    if (d.word(end + 1) != "while" || d.word(end + 2) != "(") return none;
    return source::closing(d.tokens, end + 2) + 1;
  }
  for (; i < none; ++i) {
    if (d.tokens[i].of_directive) continue;
    if (d.word(i) == ";") return i;
    if (d.word(i) == "}") return none;
    if (source::opens(d.tokens[i])) i = source::closing(d.tokens, i);
  }
  return none;
}

// Returns the token of the innermost loop around the line. Returns the number of tokens if there is none.
std::size_t innermost_loop(const delay_draft& d) {
  std::size_t found = d.tokens.size();
  for (std::size_t i = 0; i < d.tokens.size() && d.tokens[i].line <= d.line; ++i) {
    const std::string_view s = d.word(i);
    if (d.tokens[i].of_directive || (s != "for" && s != "while" && s != "do")) continue;
    const std::size_t end = statement_end(d, i);
    // The last part of a do statement is not a loop.
    if (end >= d.tokens.size() || (s == "while" && d.word(source::closing(d.tokens, i + 1) + 1) == ";")) continue;
    if (d.tokens[end].line >= d.line) found = i;
  }
  return found;
}

// The directive before a loop, if it is about unrolling.
struct unroll_directive {
  std::size_t first = 0, last = 0;  // tokens
  std::string factor;               // text of the factor; empty without one
};
std::optional<unroll_directive> directive_before(const delay_draft& d, std::size_t loop) {
  if (loop == 0 || !d.tokens[loop - 1].of_directive) return std::nullopt;
  unroll_directive u{loop - 1, loop - 1, {}};
  while (u.first > 0 && d.word(u.first) != "#" && d.tokens[u.first - 1].of_directive) --u.first;
  const std::string_view does = d.word(u.first + 2);
  if (d.word(u.first + 1) != "pragma" || (does != "unroll" && does != "nounroll")) return std::nullopt;
  for (std::size_t i = u.first + 3; i <= u.last; ++i)
    if (d.word(i) != "(" && d.word(i) != ")") u.factor += d.word(i);
  return u;
}

void unroll_loop(delay_draft& d) {
  const std::size_t loop = innermost_loop(d);
  if (loop >= d.tokens.size()) return d.refuse(formatted("line {} is not in a for or while statement", d.line));
  const source::token& head = d.tokens[loop];
  if (head.spelled == "do") return d.refuse(formatted("its loop on line {} is a do statement", head.line));
  const std::string now = formatted("#pragma unroll {}", unrolled);
  if (const auto before = directive_before(d, loop)) {
    const auto factor = source::plain_number(before->factor);
    if (!before->factor.empty() && !factor)
      return d.refuse(formatted("the factor {} of the #pragma before its loop is not a number", before->factor));
    if (factor && *factor >= unrolled)
      return d.refuse(formatted("its loop on line {} is already unrolled by {}", head.line, *factor));
    const std::size_t begin = d.tokens[before->first].at, end = d.tokens[before->last].end();
    d.made.words = formatted("{} becomes {}", source::spelled(d.reader.source().substr(begin, end - begin)), now);
    d.made.changes.push_back({begin, end, now});
    return;
  }
  const std::string_view source = d.reader.source();
  const std::size_t begin = head.at == 0 ? 0 : source.rfind('\n', head.at - 1) + 1;
  const std::string_view indent = source.substr(begin, head.at - begin);
  if (indent.find_first_not_of(" \t") != std::string_view::npos)
    return d.refuse(formatted("its loop is not at the beginning of line {}", head.line));
  const std::size_t end = source.find('\n', begin);
  const bool has_return = end != std::string_view::npos && end > begin && source[end - 1] == '\r';
  d.made.words = formatted("the loop on line {} gets {}", head.line, now);
  d.made.changes.push_back({begin, begin, formatted("{}{}{}", indent, now, has_return ? "\r\n" : "\n")});
}

// Lists the changed lines as they are after the edit, with their numbers before the edit.
void list_lines(delay_draft& d) {
  const std::string_view source = d.reader.source();
  std::uint32_t line = 1;
  std::size_t begin = 0;
  for (std::size_t n = 0; n < d.made.changes.size();) {
    const std::size_t at = d.made.changes[n].begin;
    for (std::size_t end = source.find('\n', begin); end < at; end = source.find('\n', begin)) {
      begin = end + 1;
      ++line;
    }
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    std::vector<text_change> its;
    for (; n < d.made.changes.size() && d.made.changes[n].begin <= end; ++n) {
      its.push_back(d.made.changes[n]);
      its.back().begin -= begin;
      its.back().end -= begin;
    }
    if (its.size() == 1 && its[0].begin == 0 && its[0].end > end - begin) {  // the whole line
      d.made.lines.push_back(formatted("{}: (removed)", line));
      continue;
    }
    const std::string now = changed(source.substr(begin, end - begin), its);
    for (const std::string_view one : split(now, '\n')) d.made.lines.push_back(formatted("{}: {}", line, trim(one)));
  }
}

}  // namespace

namespace {

enum class edit_place : std::uint8_t { line, kernel };
struct edit_row {
  delay_edit_kind is;
  std::string_view name, risk;
  edit_place where;
  bool needs_check;
  void (*make)(delay_draft& d);
};
constexpr edit_row edit_rows[] = {
#define DELAY_EDIT(name, function, where, needs_check, risk) \
  {delay_edit_kind::name, #name, risk, edit_place::where, needs_check, function},
#include "edit/delay_edits.def"
};
const edit_row& row_of(delay_edit_kind k) { return edit_rows[static_cast<std::size_t>(k)]; }

struct removal_row {
  delay_kind of;
  delay_edit_kind by;
};
constexpr removal_row removal_rows[] = {
#define REMOVAL(delay, edit) {delay_kind::delay, delay_edit_kind::edit},
#include "edit/delay_edits.def"
};

}  // namespace

std::vector<delay_edit_kind> edits_of(delay_kind k) {
  std::vector<delay_edit_kind> all;
  for (const removal_row& r : removal_rows)
    if (r.of == k) all.push_back(r.by);
  return all;
}

bool has_edit(delay_kind k) { return !edits_of(k).empty(); }
std::string_view name_of(delay_edit_kind k) { return row_of(k).name; }
std::string_view risk_of(delay_edit_kind k) { return row_of(k).risk; }
bool needs_check(delay_edit_kind k) { return row_of(k).needs_check; }

delay_edit edit_delay(std::string_view source, delay_edit_kind by, const delay& d, std::uint32_t line,
                      std::string_view kernel, const edited_launch& launch) {
  const source::reader r(source);
  const std::size_t colons = kernel.rfind("::");
  const std::string_view name = colons == std::string_view::npos ? kernel : kernel.substr(colons + 2);
  delay_draft made{r, r.all(), d, line, name, kernel, launch};
  if (line == 0 && row_of(by).where == edit_place::line)
    made.refuse("its line in the source is unknown");
  else
    row_of(by).make(made);
  if (made.made.refused.empty()) {
    if (!in_order(made.made.changes))
      made.refuse("its changes overlap");
    else
      list_lines(made);
  }
  return std::move(made.made);
}

}  // namespace bankwise::edit
