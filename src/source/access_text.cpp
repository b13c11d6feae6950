// Parses accesses. The parser removes known words at both ends of the text. The rest is the expression.
#include "source/access_text.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/names/operation_names.hpp"
#include "expr/parse/type_names.hpp"
#include "source/loop_text.hpp"

namespace bankwise::source {

namespace {

constexpr const char* form =
    "write an access in the form [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...]";

// Whether a word at the beginning shows that the text is a line of a kernel: "float v = s[t];", "if (t < 16) s[t] =
// 0;", "const float4 x = ...".
bool is_of_a_line(std::string_view word) {
  for (const std::string_view w :
       {"if", "const", "auto", "unsigned", "signed", "register", "volatile", "static", "struct"})
    if (w == word) return true;
  return !parse_operation(word) && find_type(word);
}

}  // namespace

diagnostic error_in(const access_text& a, std::string_view part, std::string message, std::string hint) {
  const std::size_t at = part.empty() ? std::string::npos : a.whole.find(part);
  return {std::move(message),
          {.file = "access",
           .line = 1,
           .column = static_cast<std::uint32_t>(at == std::string::npos ? 1 : at + 1),
           .length = static_cast<std::uint32_t>(
               std::max<std::size_t>(at == std::string::npos ? a.whole.size() : part.size(), 1)),
           .source_line = a.whole},
          std::move(hint)};
}

// Moves an error about a part of the access, so that it shows the whole access.
diagnostic shown_in(const access_text& a, diagnostic d) {
  if (d.where.source_line.empty()) return d;
  const std::string part = d.where.source_line;
  return moved_to(a, part, std::move(d));
}

diagnostic moved_to(const access_text& a, const std::string& part, diagnostic d) {
  const std::size_t at = a.whole.find(part);
  if (at == std::string::npos || d.where.column == 0) return d;
  d.where.file = "access";
  d.where.column += static_cast<std::uint32_t>(at);
  d.where.source_line = a.whole;
  return d;
}

result<access_text> cut_access(const std::string& text, const expr::scope& names) {
  access_text a;
  a.whole = text;
  std::string_view rest = trim(text);
  // Reads a name, a factor and a colon. The colon of ?: does not match, because the text before it is longer.
  std::size_t end = 0;
  while (end < rest.size() && (is_name_character(rest[end]) || rest[end] == '-')) ++end;
  std::size_t colon = rest.find_first_not_of(' ', end);
  if (end != 0 && colon != std::string_view::npos && rest[colon] == '*') {
    std::size_t digits = rest.find_first_not_of(' ', colon + 1);
    const std::size_t begin = digits;
    while (digits != std::string_view::npos && digits < rest.size() && is_name_character(rest[digits])) ++digits;
    const std::size_t after = digits == std::string_view::npos ? digits : rest.find_first_not_of(' ', digits);
    if (after != std::string_view::npos && rest[after] == ':') {
      const std::string_view factor = rest.substr(begin, digits - begin);
      auto weight = parse_size(factor);
      if (const auto constant = names.constants.find(factor); constant != names.constants.end() && constant->second > 0)
        weight = static_cast<std::uint64_t>(constant->second);
      if (!weight || *weight < 1 || *weight > 0xffffffffu)
        return error_in(a, factor, "a weight must be a whole number from 1 to 2^32 - 1", form);
      a.weight = *weight;
      colon = after;
    }
  }
  if (end != 0 && colon != std::string_view::npos && rest[colon] == ':') {
    a.name = std::string(rest.substr(0, end));
    rest = trim(rest.substr(colon + 1));
  }
  if (const auto cut = cut_loops(rest, names); !cut) {
    return shown_in(a, cut.error());
  } else {
    for (const loop& l : cut->loops) {
      const bool taken =
          l.name == "t" || names.constants.contains(l.name) ||
          std::any_of(a.loops.begin(), a.loops.end(), [&](const loop& other) { return other.name == l.name; });
      if (taken) return error_in(a, l.text, formatted("the name {} is already used", l.name), form);
      a.loops.push_back(l);
    }
    rest = cut->rest;
  }
  if (const std::size_t at = find_word(rest, "where"); at != std::string_view::npos) {
    a.where = std::string(trim(rest.substr(at + 5)));
    rest = trim(rest.substr(0, at));
  }
  // Two adjacent words are not an expression, so the first word is an operation.
  std::size_t word = 0;
  while (word < rest.size() && (is_name_character(rest[word]) || rest[word] == '.')) ++word;
  const std::size_t next = rest.find_first_not_of(' ', word);
  if (word != 0 && next != std::string_view::npos && next > word && is_name_character(rest[next]) &&
      !is_of_a_line(rest.substr(0, word))) {
    a.op = std::string(rest.substr(0, word));
    rest = rest.substr(next);
  }
  a.expression = std::string(rest);
  if (a.expression.empty()) return error_in(a, "", "the access has no expression", form);
  return a;
}

}  // namespace bankwise::source
