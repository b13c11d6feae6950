#include "tune/configuration.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/expression.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::tune {

namespace {

// Calls `found` for each name in a text, except names of functions, until it returns false.
template <class Found>
void for_each_name(std::string_view text, const Found& found) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::size_t next = text.find_first_not_of(' ', end);
    const bool is_number = text[at] >= '0' && text[at] <= '9';
    const bool is_function = next != std::string_view::npos && text[next] == '(';
    if (!is_number && !is_function && !found(at, text.substr(at, end - at))) return;
    at = end;
  }
}

bool is_known(const named_values& known, std::string_view name) {
  return known.numbers.contains(name) || known.words.contains(name);
}
bool uses_name(std::string_view text, const named_values& known) {
  bool uses = false;
  for_each_name(text, [&](std::size_t, std::string_view name) { return !(uses = is_known(known, name)); });
  return uses;
}

diagnostic unknown_value(std::string_view text, std::string_view what, std::size_t at, std::string_view name,
                         const named_values& known) {
  const std::string whole(text);
  if (const auto word = known.words.find(name); word != known.words.end())
    return expr::error_at(what, whole, at + 1, name.size(),
                          formatted("{} has the value '{}', which is not a whole number", name, word->second));
  std::vector<std::string> names;
  for (const auto& [other, number] : known.numbers) names.push_back(other);
  const auto near = nearest(std::string(name), names, 1);
  return expr::error_at(what, whole, at + 1, name.size(), formatted("unknown name '{}'", name),
                        near.empty() ? formatted("list its values, or set the constant with {}",
                                                 worded(setting::let, formatted("{}=1024", name)))
                                     : formatted("did you mean {}?", near[0]));
}

// Replaces a piece of an argument if it uses a name. `piece` is a part of `whole`.
std::optional<diagnostic> add_piece(std::string_view whole, std::string_view piece, const named_values& known,
                                    std::string_view what, std::string& to) {
  if (!uses_name(piece, known)) {
    to += piece;
    return std::nullopt;
  }
  auto number = evaluate(piece, known, what);
  if (!number) {
    diagnostic d = number.error();
    d.where.column += static_cast<std::uint32_t>(piece.data() - whole.data());
    d.where.source_line = std::string(whole);
    return d;
  }
  to += std::to_string(*number);
  return std::nullopt;
}

}  // namespace

named_values values_of(const std::vector<std::string>& names, const configuration& c,
                       const std::map<std::string, std::int64_t, std::less<>>& constants) {
  named_values known{constants, {}};
  for (std::size_t i = 0; i < names.size() && i < c.values.size(); ++i) {
    if (const auto number = parse_i64(c.values[i]))
      known.numbers[names[i]] = *number;
    else
      known.words[names[i]] = c.values[i];
  }
  return known;
}

result<std::int64_t> evaluate(std::string_view text, const named_values& known, std::string_view what) {
  std::optional<diagnostic> wrong;
  // Names of lanes, which other expressions have, would silently be 0 here.
  for_each_name(text, [&](std::size_t at, std::string_view name) {
    if (known.numbers.contains(name)) return true;
    wrong = unknown_value(text, what, at, name, known);
    return false;
  });
  if (wrong) return *wrong;
  expr::scope names;
  names.constants = known.numbers;
  const auto parsed = expr::parse(text, names, what);
  if (!parsed) return parsed.error();
  const auto value = parsed->evaluate(0);
  if (value) return value->number;
  diagnostic d = value.error();
  if (const std::size_t lane = d.message.rfind(" in lane "); lane != std::string::npos) d.message.resize(lane);
  return d;
}

result<std::string> evaluate_list(std::string_view text, const named_values& known, std::string_view what) {
  if (text.find_first_not_of("0123456789,xX ") == std::string_view::npos) return std::string(text);
  std::string list;
  std::size_t begin = 0;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    auto number = evaluate(text.substr(begin, at - begin), known, what);
    if (!number) {
      diagnostic d = number.error();
      d.where.column += static_cast<std::uint32_t>(begin);
      d.where.source_line = std::string(text);
      return d;
    }
    if (*number < 0)
      return expr::error_at(what, std::string(text), begin + 1, at - begin, formatted("{} is negative", *number));
    list += formatted("{}{}", list.empty() ? "" : ",", *number);
    begin = at + 1;
  }
  return list;
}

result<std::string> evaluate_argument(std::string_view text, const named_values& known, std::string_view what) {
  if (!uses_name(text, known)) return std::string(text);
  std::string out;
  std::size_t begin = 0;
  bool is_place = false;  // whether the piece follows "arg:", so that it begins with the number of an argument
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool ends = at == text.size() || std::string_view("[]=,{}:").find(text[at]) != std::string_view::npos ||
                      (is_place && text[at] == '+');
    if (!ends) continue;
    const std::string_view piece = text.substr(begin, at - begin);
    const bool is_file = out.ends_with("file:");
    if (is_file)
      out += replace_names(piece, known);
    else if (const auto wrong = add_piece(text, piece, known, what, out))
      return *wrong;
    if (at < text.size()) {
      out += text[at];
      is_place = text[at] == ':' ? piece == "arg" : false;
    }
    begin = at + 1;
  }
  return out;
}

result<std::string> fill_braces(std::string_view text, const named_values& known, std::string_view what) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at), close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, open - at);
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    if (const auto word = known.words.find(trim(inside)); word != known.words.end())
      out += word->second;
    else if (!uses_name(inside, known))
      out += text.substr(open, close + 1 - open);
    else if (const auto wrong = add_piece(text, inside, known, what, out))
      return *wrong;
    at = close + 1;
  }
  return out;
}

std::string replace_names(std::string_view text, const named_values& known) {
  std::string out;
  std::size_t end = 0;
  for_each_name(text, [&](std::size_t at, std::string_view name) {
    const auto number = known.numbers.find(name);
    const auto word = known.words.find(name);
    if (number == known.numbers.end() && word == known.words.end()) return true;
    out += text.substr(end, at - end);
    out += number != known.numbers.end() ? std::to_string(number->second) : word->second;
    end = at + name.size();
    return true;
  });
  out += text.substr(end);
  return out;
}

std::string text_of(const std::vector<std::string>& names, const configuration& c) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < c.values.size(); ++i)
    text += formatted("{}{}={}", text.empty() ? "" : " ", names[i], c.values[i]);
  return text;
}

}  // namespace bankwise::tune
