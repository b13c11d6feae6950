#include "source/reader.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::source {

std::string_view text_of(std::string_view source, const std::vector<token>& t, std::size_t first, std::size_t last) {
  return first > last ? std::string_view() : source.substr(t[first].at, t[last].end() - t[first].at);
}

std::string spelled(std::string_view s) {
  std::string text;
  for (const char c : s)
    if (static_cast<unsigned char>(c) > ' ' || (!text.empty() && text.back() != ' '))
      text += static_cast<unsigned char>(c) > ' ' ? c : ' ';
  return std::string(trim(text));
}

std::optional<std::uint64_t> plain_number(std::string_view s) {
  while (!s.empty() && (s.back() == 'u' || s.back() == 'U' || s.back() == 'l' || s.back() == 'L')) s.remove_suffix(1);
  return parse_size(s);
}

reader::reader(std::string_view source) : source_(source), t_(tokens_of(source)) {
  // The empty tokens at the end of the list make it safe to read a few tokens ahead.
  constexpr int looked_ahead = 4;
  const std::uint32_t line = t_.empty() ? 1 : t_.back().line;
  for (int i = 0; i < looked_ahead; ++i) t_.push_back({token::kind::mark, {}, source.size(), line, false});
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < t_.size(); ++i) {
    around_.push_back(open.empty() ? outside : open.back());
    if (t_[i].is != kind::mark || t_[i].of_directive) continue;
    if (opens(t_[i])) open.push_back(i);
    if (closes(t_[i]) && !open.empty()) open.pop_back();
  }
}

bool reader::is_declared_at(std::size_t i) const {
  static constexpr std::string_view others[] = {"return", "else",   "sizeof",  "case", "throw", "goto", "do",
                                                "new",    "delete", "alignof", "and",  "or",    "not"};
  if (i < 1 || i + 1 >= t_.size() || t_[i].is != kind::word || t_[i].of_directive || t_[i - 1].of_directive)
    return false;
  const std::string_view after = t_[i + 1].spelled;
  constexpr std::string_view ends[] = {"=", ";", ",", ")", "(", "{", "[", ":"};
  if (std::find(std::begin(ends), std::end(ends), after) == std::end(ends)) return false;
  if (t_[i - 1].is == kind::word)
    return std::find(std::begin(others), std::end(others), t_[i - 1].spelled) == std::end(others);
  // Distinguishes "float* x" from "a * x".
  std::size_t before = i - 1;
  while (before > 0 && (t_[before].spelled == "*" || t_[before].spelled == "&" || t_[before].spelled == "&&")) --before;
  const bool is_type = before + 1 < i && t_[before].is == kind::word && !t_[before].of_directive &&
                       (type_bytes(t_[before].spelled) || t_[before].spelled == "auto" ||
                        t_[before].spelled == "const" || t_[before].spelled == "void");
  if (is_type) return true;
  // The code above uses the types to recognise the parameters in "[&](auto x, T y)". It does not recognise b in "int a
  // = 1, b = 2".
  return false;
}

std::size_t reader::scope_end(std::size_t i) const {
  const std::size_t open = around_[i];
  if (open == outside) return t_.size();
  const std::size_t close = closing(t_, open);
  if (t_[open].spelled == "{" || close >= t_.size()) return close;
  if (t_[open].spelled != "(") return i;
  const bool is_head = open > 0 && (t_[open - 1].spelled == "for" || t_[open - 1].spelled == "if" ||
                                    t_[open - 1].spelled == "while" || t_[open - 1].spelled == "switch");
  constexpr std::size_t most_words = 8;  // largest number of words between the parameters and the body of a function
  for (std::size_t k = close + 1; k < t_.size() && (is_head || k < close + 1 + most_words); ++k) {
    if (t_[k].spelled == "{") return closing(t_, k);
    if (t_[k].spelled == ";") return is_head ? k : i;
    if (t_[k].spelled == "(" || t_[k].spelled == "[") k = closing(t_, k);
  }
  return is_head ? t_.size() : i;
}

bool reader::is_template_parameter(std::string_view name) const {
  for (std::size_t i = 0; i + 2 < t_.size(); ++i) {
    if (t_[i].spelled != "template" || t_[i + 1].spelled != "<") continue;
    std::size_t depth = 1;
    for (std::size_t k = i + 2; k < t_.size() && depth > 0; ++k) {
      if (t_[k].spelled == "<") ++depth;
      if (t_[k].spelled == ">") --depth;
      if (t_[k].spelled == ";" || t_[k].spelled == "{") break;
      if (t_[k].spelled == name && t_[k - 1].is == kind::word) return true;
    }
  }
  return false;
}

bool reader::is_declared_in_block(std::string_view name) const {
  for (std::size_t i = 1; i < t_.size(); ++i)
    if (t_[i].spelled == name && around_[i] != outside && is_declared_at(i)) return true;
  return false;
}

std::vector<declaration> reader::declarations(std::string_view name) const {
  std::vector<declaration> found;
  std::vector<std::size_t> blocks;
  for (std::size_t i = 0; i < t_.size(); ++i) {
    if (t_[i].of_directive) continue;
    if (t_[i].spelled == "{") blocks.push_back(i);
    if (t_[i].spelled == "}" && !blocks.empty()) blocks.pop_back();
    if (t_[i].spelled != "__shared__") continue;
    if (auto d = read_declaration(i, name)) {
      d->open = blocks.empty() ? 0 : blocks.back();
      d->close = blocks.empty() ? t_.size() : closing(t_, blocks.back());
      found.push_back(std::move(*d));
    }
  }
  for (const union_member& m : union_members(t_))
    if (t_[m.name].spelled == name) found.push_back(declaration_of(m));
  return found;
}

std::vector<use> reader::uses(std::string_view name, std::size_t from, std::size_t to,
                              std::string_view variable) const {
  std::vector<use> found;
  for (std::size_t i = from; i < std::min(to, t_.size()); ++i) {
    if (t_[i].spelled != name || t_[i].is != kind::word) continue;
    const std::string_view before = t_[i - 1].spelled;
    if (variable.empty() ? before == "." || before == "->" || before == "::"
                         : before != "." || t_[i - 2].spelled != variable)
      continue;
    use u{i, {}, i + 1, 0, 0};
    while (u.end < t_.size() && t_[u.end].spelled == "[") {
      const std::size_t close = closing(t_, u.end);
      if (close >= t_.size()) break;
      u.index.emplace_back(u.end + 1, close - 1);
      u.end = close + 1;
    }
    std::size_t first = i, last = i;
    const auto ends = [&](std::size_t n) {
      return t_[n].spelled == ";" || t_[n].spelled == "{" || t_[n].spelled == "}";
    };
    while (first > 0 && !ends(first - 1)) --first;
    while (last + 1 < t_.size() && !ends(last)) ++last;
    u.first_line = t_[first].line;
    u.last_line = t_[last].line;
    found.push_back(std::move(u));
  }
  return found;
}

std::vector<token_range> reader::list_in(std::size_t open) const {
  std::vector<token_range> list;
  const std::size_t close = closing(t_, open);
  std::size_t from = open + 1;
  for (std::size_t i = from; i <= close && i < t_.size(); ++i) {
    if (i == close || t_[i].spelled == ",") {
      if (i > from) list.emplace_back(from, i - 1);
      from = i + 1;
    } else if (t_[i].spelled == "(" || t_[i].spelled == "[" || t_[i].spelled == "{") {
      i = closing(t_, i);
    }
  }
  return list;
}

std::size_t reader::bracket_after(std::size_t name) const {
  std::size_t i = name + 1;
  if (i < t_.size() && t_[i].spelled == "<") {
    std::size_t depth = 0;
    for (; i < t_.size() && i < name + 200; ++i) {
      const std::string_view s = t_[i].spelled;
      if (s == "(") i = closing(t_, i);
      if (i >= t_.size() || s == ";" || s == "{" || s == "}" || s == "<<<") return t_.size();
      if (s == "<") ++depth;
      if (s == ">>") depth -= std::min<std::size_t>(depth, 2);
      if (s == ">") --depth;
      if (depth == 0) break;
    }
    ++i;
  }
  return i < t_.size() && t_[i].spelled == "(" ? i : t_.size();
}

std::vector<function> reader::functions(std::string_view name, std::size_t parameters) const {
  std::vector<function> all;
  for (std::size_t i = 1; i < t_.size(); ++i) {
    if (t_[i].spelled != name || t_[i].is != kind::word) continue;
    if (t_[i].of_directive) return {};
    const std::size_t open = bracket_after(i);
    if (open >= t_.size()) return {};
    const std::size_t close = closing(t_, open);
    if (close + 1 >= t_.size()) return {};
    if (t_[close + 1].spelled != "{") continue;
    const bool is_head = open == i + 1 && (t_[i - 1].is == kind::word || t_[i - 1].spelled == "*" ||
                                           t_[i - 1].spelled == "&" || t_[i - 1].spelled == ">");
    if (!is_head) return {};
    function f{i, list_in(open), close + 1, closing(t_, close + 1)};
    if (f.parameters.size() == parameters) all.push_back(std::move(f));
  }
  return all;
}

std::pair<std::size_t, std::size_t> reader::call_around(std::size_t at) const {
  std::size_t depth = 0;
  for (std::size_t i = at; i-- > 1;) {
    const std::string_view s = t_[i].spelled;
    if (s == ";" || s == "{" || s == "}") break;
    if (s == ")" || s == "]") ++depth;
    if (s == "(" || s == "[") {
      if (depth == 0)
        return s == "(" && t_[i - 1].is == kind::word ? std::pair(i - 1, i) : std::pair<std::size_t, std::size_t>(0, i);
      --depth;
    }
  }
  return {0, 0};
}

std::size_t reader::callee(std::size_t open) const {
  if (t_[open - 1].is == kind::word) return open - 1;
  if (t_[open - 1].spelled != ">") return 0;
  for (std::size_t i = open - 1; i-- > 1;) {
    const std::string_view s = t_[i].spelled;
    if (s == ";" || s == "{" || s == "}") return 0;
    if (s == "<" && t_[i - 1].is == kind::word && bracket_after(i - 1) == open) return i - 1;
  }
  return 0;
}

std::optional<std::size_t> reader::argument_at(std::size_t open, std::size_t first, std::size_t last) const {
  const auto list = list_in(open);
  const auto at = std::find(list.begin(), list.end(), token_range(first, last));
  return at == list.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - list.begin()));
}

bool reader::only_dereferenced(const use& u, std::size_t open) const {
  const std::size_t name = callee(open);
  const auto argument = argument_at(open, u.name - 1, u.end - 1);
  if (name == 0 || !argument) return false;
  const auto all = functions(t_[name].spelled, list_in(open).size());
  return !all.empty() && std::all_of(all.begin(), all.end(), [&](const function& f) {
    const auto [first, last] = f.parameters[*argument];
    if (last <= first || t_[last].is != kind::word) return false;
    std::size_t star = last - 1;
    while (star > first && t_[star].is == kind::word && t_[star].spelled.starts_with("__restrict")) --star;
    if (t_[star].spelled != "*") return false;
    for (std::size_t i = f.open; i < f.close && i + 1 < t_.size(); ++i) {
      if (t_[i].spelled != t_[last].spelled || t_[i].is != kind::word) continue;
      const std::string_view before = t_[i - 1].spelled, behind = t_[i + 1].spelled;
      const bool is_zero = behind == "[" && t_[i + 2].spelled == "0" && t_[i + 3].spelled == "]" && before != "&";
      const bool is_star = before == "*" && behind != "++" && behind != "--" && behind != "[" && behind != "->" &&
                           t_[i - 2].spelled != "&" && t_[i - 2].spelled != "auto";
      if (!is_zero && !is_star) return false;
    }
    return true;
  });
}

declaration reader::declaration_of(const union_member& m) const {
  std::vector<std::size_t> blocks;
  for (std::size_t i = 0; i < m.word; ++i) {
    if (t_[i].of_directive) continue;
    if (t_[i].spelled == "{") blocks.push_back(i);
    if (t_[i].spelled == "}" && !blocks.empty()) blocks.pop_back();
  }
  declaration d;
  d.word = m.word;
  d.name = m.name;
  d.extent = m.extent;
  d.stop = m.stop;
  d.open = blocks.empty() ? 0 : blocks.back();
  d.close = blocks.empty() ? t_.size() : closing(t_, blocks.back());
  d.type = text(m.type, m.type_end - 1);
  d.variable = t_[m.variable].spelled;
  return d;
}

std::optional<declaration> reader::read_declaration(std::size_t word, std::string_view name) const {
  declaration d;
  d.word = word;
  std::size_t first_name = 0;
  for (std::size_t i = word + 1; i < t_.size() && i < word + 400; ++i) {
    const std::string_view s = t_[i].spelled;
    if (s == "(" || s == "{" || s == "[") {
      if (s == "[" && first_name == 0) first_name = i - 1;
      if (s == "[" && t_[i - 1].spelled == name && t_[i - 1].is == kind::word && d.name == 0) {
        d.name = i - 1;
        for (std::size_t open = i; open < t_.size() && t_[open].spelled == "[";) {
          const std::size_t close = closing(t_, open);
          if (close >= t_.size()) return std::nullopt;
          d.extent.emplace_back(open + 1, close - 1);
          open = close + 1;
        }
      }
      i = closing(t_, i);
      continue;
    }
    if (s == ";") {
      d.stop = i;
      break;
    }
    if (s == "}") return std::nullopt;
  }
  if (d.name == 0 || d.stop == 0 || first_name <= word + 1) return std::nullopt;
  std::size_t from = word + 1;
  for (std::size_t i = from; i < first_name; ++i) {
    const std::string_view s = t_[i].spelled;
    if (s == "__align__" || s == "alignas" || s == "__attribute__") {
      i = closing(t_, i + 1);
      from = i + 1;
    } else if (s == "static" || s == "volatile" || s == "const" || s == "extern") {
      from = i + 1;
    }
  }
  if (from < first_name) d.type = text(from, first_name - 1);
  return d;
}

}  // namespace bankwise::source
