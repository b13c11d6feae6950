// Calls fast functions of floats instead of functions with full precision, and divides floats by __fdividef.
#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

namespace {

constexpr std::string_view precise_names[] = {"sinf", "cosf",  "tanf",   "expf", "exp10f",
                                              "logf", "log2f", "log10f", "powf"};

bool is_precise_call(const delay_draft& d, std::size_t i) {
  if (!d.is_word(i) || d.word(i + 1) != "(" || i == 0) return false;
  if (std::find(std::begin(precise_names), std::end(precise_names), d.word(i)) == std::end(precise_names)) return false;
  const std::string_view before = d.word(i - 1);
  const bool is_declared = d.is_word(i - 1) && before != "return" && before != "else";
  return !is_declared && before != "::" && before != "." && before != "->";
}

// Whether a declaration, whose name is token i, is of a float, a pointer to floats or an array of floats.
bool declares_float(const delay_draft& d, std::size_t i) {
  constexpr std::string_view marks[] = {"*", "&", "const", "__restrict__", "__restrict"};
  constexpr std::string_view before[] = {"const", "constexpr", "static", "__shared__"};
  const auto is_one_of = [&](const auto& list, std::size_t at) {
    return std::find(std::begin(list), std::end(list), d.word(at)) != std::end(list);
  };
  std::size_t k = i - 1;
  while (k > 0 && is_one_of(marks, k)) --k;
  if (d.word(k) == "float") return true;
  // float a = 1, b = 2;
  if (d.word(k) != "," || d.word(d.reader.around(i)) == "(") return false;
  while (k > 0 && d.word(k - 1) != ";" && d.word(k - 1) != "{" && d.word(k - 1) != "}") --k;
  while (is_one_of(before, k)) ++k;
  return d.word(k) == "float";
}

// Whether all declarations of the name before token `at` are of floats, and there is at least one.
bool is_float(const delay_draft& d, std::size_t at) {
  bool is_known = false;
  for (std::size_t i = 1; i < at; ++i) {
    if (d.word(i) != d.word(at) || !d.reader.is_declared_at(i)) continue;
    if (!declares_float(d, i)) return false;
    is_known = true;
  }
  return is_known;
}

// Returns the operand of a division before or after its sign: the name of a float, with indices.
std::optional<source::token_range> operand_before(const delay_draft& d, std::size_t sign) {
  std::size_t first = sign - 1;
  while (d.word(first) == "]" && first > 1) first = d.reader.around(first) - 1;
  if (!d.is_word(first) || !is_float(d, first)) return std::nullopt;
  constexpr std::string_view ends[] = {"(", "=", "+=", "-=", "+", "-", ",", "return"};
  if (std::find(std::begin(ends), std::end(ends), d.word(first - 1)) == std::end(ends)) return std::nullopt;
  return source::token_range{first, sign - 1};
}
std::optional<source::token_range> operand_after(const delay_draft& d, std::size_t sign) {
  std::size_t last = sign + 1;
  if (!d.is_word(last) || !is_float(d, last)) return std::nullopt;
  while (d.word(last + 1) == "[") last = source::closing(d.tokens, last + 1);
  const std::string_view next = d.word(last + 1);
  if (next == "(" || next == "." || next == "->" || next == "::" || next == "++" || next == "--") return std::nullopt;
  return source::token_range{sign + 1, last};
}

}  // namespace

void call_fast_functions(delay_draft& d) {
  std::vector<std::string> names;
  const auto add_name = [&](std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (std::size_t i = 2; i + 1 < d.tokens.size(); ++i) {
    const source::token& t = d.tokens[i];
    if (t.line != d.line) continue;
    const bool is_call = is_precise_call(d, i);
    if ((is_call || t.spelled == "/") && t.of_directive) return d.refuse(formatted("line {} is in a macro", d.line));
    if (is_call) {
      add_name(formatted("{} becomes __{}", t.spelled, t.spelled));
      d.replace(i, formatted("__{}", t.spelled));
    } else if (t.spelled == "/") {
      const auto above = operand_before(d, i), below = operand_after(d, i);
      if (!above || !below) continue;
      const std::size_t first = d.tokens[above->first].at, last = d.tokens[below->second].end();
      const std::string_view was = d.reader.source().substr(first, last - first);
      if (was.find("/*") != std::string_view::npos || was.find("//") != std::string_view::npos) continue;
      add_name(formatted("{} becomes __fdividef", source::spelled(was)));
      d.insert(first, "__fdividef(");
      // The sign and the blanks around it become a comma.
      const std::size_t end = d.tokens[above->second].end();
      d.made.changes.push_back({end, d.tokens[below->first].at, ", "});
      d.insert(last, ")");
    }
  }
  if (names.empty())
    return d.refuse(formatted("line {} calls no function, and has no division of floats, with a fast form", d.line));
  d.made.words = enumerated(names);
}

}  // namespace bankwise::edit
