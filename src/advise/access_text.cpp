// Words are cut off from both ends: what is left between is the expression.
#include "advise/access_text.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace bankwise::advise {

namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the word stands by itself, or npos.
std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_name(text[at - 1])) && (at + word.size() == text.size() || !is_name(text[at + word.size()])))
      return at;
  return std::string_view::npos;
}

constexpr const char* form = "an access is [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...]";

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
  // A name and a colon; the colon of ?: has more before it than a name and a factor.
  std::size_t end = 0;
  while (end < rest.size() && (is_name(rest[end]) || rest[end] == '-')) ++end;
  std::size_t colon = rest.find_first_not_of(' ', end);
  if (end != 0 && colon != std::string_view::npos && rest[colon] == '*') {
    std::size_t digits = rest.find_first_not_of(' ', colon + 1);
    const std::size_t begin = digits;
    while (digits != std::string_view::npos && digits < rest.size() && is_name(rest[digits])) ++digits;
    const std::size_t after = digits == std::string_view::npos ? digits : rest.find_first_not_of(' ', digits);
    if (after != std::string_view::npos && rest[after] == ':') {
      const std::string_view factor = rest.substr(begin, digits - begin);
      auto weight = parse_size(factor);
      if (const auto constant = names.constants.find(factor); constant != names.constants.end() && constant->second > 0)
        weight = static_cast<std::uint64_t>(constant->second);
      if (!weight || *weight < 1 || *weight > 0xffffffffu)
        return error_in(a, factor, "a weight is a whole number from 1 to 2^32 - 1", form);
      a.weight = *weight;
      colon = after;
    }
  }
  if (end != 0 && colon != std::string_view::npos && rest[colon] == ':') {
    a.name = std::string(rest.substr(0, end));
    rest = trim(rest.substr(colon + 1));
  }
  if (const std::size_t at = find_word(rest, "for"); at != std::string_view::npos) {
    const std::string_view loops = rest.substr(at + 3);
    for (const std::string_view one : split(loops, ',')) {
      const std::size_t less = one.find('<');
      const std::string_view name = trim(one.substr(0, less));
      const std::string_view count = less == std::string_view::npos ? std::string_view{} : trim(one.substr(less + 1));
      std::int64_t n = parse_i64(count).value_or(0);
      if (const auto constant = names.constants.find(count); constant != names.constants.end()) n = constant->second;
      if (name.empty() || !std::all_of(name.begin(), name.end(), is_name) || n < 1 || n > 4096)
        return error_in(a, trim(one), "expected a loop, I < N with N from 1 to 4096", form);
      if (name == "t" || names.constants.contains(name) ||
          std::any_of(a.loops.begin(), a.loops.end(), [&](const loop& l) { return l.name == name; }))
        return error_in(a, trim(one), "the name " + std::string(name) + " is taken", form);
      a.loops.push_back({std::string(name), n});
    }
    rest = trim(rest.substr(0, at));
  }
  if (const std::size_t at = find_word(rest, "where"); at != std::string_view::npos) {
    a.where = std::string(trim(rest.substr(at + 5)));
    rest = trim(rest.substr(0, at));
  }
  // Two words in a row are no expression: the first is an operation.
  std::size_t word = 0;
  while (word < rest.size() && (is_name(rest[word]) || rest[word] == '.')) ++word;
  const std::size_t next = rest.find_first_not_of(' ', word);
  if (word != 0 && next != std::string_view::npos && next > word && is_name(rest[next])) {
    a.op = std::string(rest.substr(0, word));
    rest = rest.substr(next);
  }
  a.expression = std::string(rest);
  if (a.expression.empty()) return error_in(a, "", "an access without an expression", form);
  return a;
}

}  // namespace bankwise::advise
