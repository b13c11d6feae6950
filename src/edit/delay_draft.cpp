#include "edit/delay_draft.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "source/range/index_range.hpp"

namespace bankwise::edit {

namespace {

// Returns the definition whose name is token `name`, or nothing if the token is something else, such as a launch.
std::optional<kernel_text> definition_at(const delay_draft& d, std::size_t name) {
  const auto& t = d.tokens;
  if (t[name].spelled != d.kernel || !d.is_word(name) || t[name].of_directive) return std::nullopt;
  const std::size_t open = d.reader.bracket_after(name);
  if (open >= t.size()) return std::nullopt;
  const std::size_t close = source::closing(t, open);
  if (close + 1 >= t.size() || d.word(close + 1) != "{") return std::nullopt;
  kernel_text k{name, open, close + 1, source::closing(t, close + 1), false};
  bool is_kernel = false;
  for (std::size_t i = name; i-- > 0;) {
    const std::string_view s = t[i].spelled;
    if (t[i].of_directive || s == ";" || s == "{" || s == "}") break;
    is_kernel |= s == "__global__";
    k.has_bounds |= s == "__launch_bounds__";
  }
  return is_kernel && k.close < t.size() ? std::optional(k) : std::nullopt;
}

std::vector<kernel_text> definitions(const delay_draft& d) {
  std::vector<kernel_text> all;
  for (std::size_t i = 0; i < d.tokens.size(); ++i)
    if (const auto k = definition_at(d, i)) all.push_back(*k);
  return all;
}

// Whether the name at token i, with the namespaces before it, can be the kernel.
bool may_name_kernel(const delay_draft& d, std::size_t i, bool is_only) {
  std::string written(d.word(i));
  for (; i >= 2 && d.word(i - 1) == "::" && d.is_word(i - 2); i -= 2)
    written = formatted("{}::{}", d.word(i - 2), written);
  if (written == d.whole_name || is_only) return true;
  return written.find("::") != std::string::npos && d.whole_name.ends_with(formatted("::{}", written));
}

bool is_declaration(const delay_draft& d, std::size_t name) {
  for (std::size_t i = name; i-- > 0;) {
    const std::string_view s = d.word(i);
    if (s == "__global__") return true;
    if (s == ";" || s == "{" || s == "}") return false;
  }
  return false;
}

// Whether the mark of three characters begins at token i, as two tokens.
bool is_triple(const delay_draft& d, std::size_t i, std::string_view two, std::string_view one) {
  return d.word(i) == two && d.word(i + 1) == one && d.tokens[i].end() == d.tokens[i + 1].at;
}

// Returns the parts of a dim3, or the whole expression as the only part. A variable must be a dim3 that only this
// launch uses.
std::vector<source::token_range> parts_of(const delay_draft& d, const source::token_range& r) {
  const auto of = [&](std::size_t open) { return d.reader.list_in(open); };
  if (d.word(r.first) == "dim3" && (d.word(r.first + 1) == "(" || d.word(r.first + 1) == "{") &&
      source::closing(d.tokens, r.first + 1) == r.second)
    return of(r.first + 1);
  if (r.first != r.second || !d.is_word(r.first)) return {r};
  std::size_t declared = 0, mentions = 0;
  for (std::size_t i = 1; i + 1 < d.tokens.size(); ++i) {
    if (d.word(i) != d.word(r.first)) continue;
    ++mentions;
    if (d.word(i - 1) == "dim3" && (d.word(i + 1) == "(" || d.word(i + 1) == "{")) declared = i;
  }
  return declared == 0 ? std::vector{r} : mentions == 2 ? of(declared + 1) : std::vector<source::token_range>();
}

// Reads the launch whose kernel is token i.
std::optional<launch_text> launch_at(const delay_draft& d, std::size_t i) {
  constexpr std::size_t most_tokens = 64;  // of template arguments
  std::size_t open = i + 1;
  if (d.word(open) == "<")
    while (open < i + most_tokens && !is_triple(d, open, "<<", "<") && d.word(open) != ";" && d.word(open) != "{")
      ++open;
  if (!is_triple(d, open, "<<", "<")) return std::nullopt;
  launch_text l;
  l.open = open;
  std::vector<source::token_range> list;
  for (std::size_t at = open + 2, first = at; at < d.tokens.size(); ++at) {
    const bool is_end = is_triple(d, at, ">>", ">");
    if (is_end || d.word(at) == ",") {
      if (at == first) return std::nullopt;
      list.emplace_back(first, at - 1);
      first = at + 1;
    }
    if (is_end) {
      l.close = at + 1;
      break;
    }
    if (d.word(at) == ";" || d.tokens[at].of_directive) return std::nullopt;
    if (source::opens(d.tokens[at])) at = source::closing(d.tokens, at);
  }
  if (l.close == 0 || list.size() < 2) return std::nullopt;
  l.arguments = list.size();
  l.of_grid = parts_of(d, list[0]);
  l.of_block = parts_of(d, list[1]);
  return l;
}

}  // namespace

bool has_line(const delay_draft& d, const kernel_text& k) {
  return d.line >= d.tokens[k.open].line && d.line <= d.tokens[k.close].line;
}

std::optional<kernel_text> find_kernel(const delay_draft& d) {
  std::vector<kernel_text> all = definitions(d);
  if (all.size() > 1) std::erase_if(all, [&](const kernel_text& k) { return !has_line(d, k); });
  return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

std::optional<kernel_text> need_kernel(delay_draft& d) {
  auto k = find_kernel(d);
  if (!k) d.refuse(formatted("the source does not have exactly one definition of {}", d.kernel));
  return k;
}

bool passes_twice(const delay_draft& d, const std::vector<std::size_t>& parameters) {
  const bool is_only = definitions(d).size() == 1;
  for (std::size_t i = 0; i < d.tokens.size(); ++i) {
    if (!d.is_word(i) || d.word(i) != d.kernel || !may_name_kernel(d, i, is_only) || d.tokens[i].of_directive) continue;
    const auto l = launch_at(d, i);
    if (!l || d.word(l->close + 1) != "(") continue;
    std::vector<std::string> seen;
    const std::vector<source::token_range> all = d.reader.list_in(l->close + 1);
    for (const std::size_t n : parameters) {
      if (n >= all.size()) continue;
      std::string text = d.reader.text(all[n].first, all[n].second);
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) return true;
      seen.push_back(std::move(text));
    }
  }
  return false;
}

std::optional<launch_text> need_launch(delay_draft& d) {
  const bool is_only = definitions(d).size() == 1;
  std::vector<launch_text> all;
  std::string other;
  for (std::size_t i = 0; i < d.tokens.size(); ++i) {
    if (!d.is_word(i) || d.word(i) != d.kernel || !may_name_kernel(d, i, is_only)) continue;
    if (!d.tokens[i].of_directive && (definition_at(d, i) || is_declaration(d, i))) continue;
    auto l = d.tokens[i].of_directive ? std::nullopt : launch_at(d, i);
    if (l)
      all.push_back(std::move(*l));
    else
      other = formatted("line {} names {} without <<<, or in a macro", d.tokens[i].line, d.kernel);
  }
  if (!other.empty())
    d.refuse(std::move(other));
  else if (all.size() != 1)
    d.refuse(formatted("the source does not have exactly one launch of {}", d.kernel));
  return d.made.refused.empty() ? std::optional(std::move(all.front())) : std::nullopt;
}

bool is_axis(const delay_draft& d, std::size_t i, std::string_view name, std::string_view axis) {
  return d.word(i) == name && d.word(i + 1) == "." && d.word(i + 2) == axis;
}

bool refuses_elsewhere(delay_draft& d, std::initializer_list<std::string_view> names) {
  const auto is_name = [&](std::size_t i) { return std::find(names.begin(), names.end(), d.word(i)) != names.end(); };
  for (std::size_t i = 0; i < d.tokens.size(); ++i) {
    if (d.tokens[i].of_directive && is_name(i)) {
      d.refuse(formatted("line {} uses {} in a macro", d.tokens[i].line, d.word(i)));
      return true;
    }
    if (d.word(i) != "__device__") continue;
    std::size_t open = i;
    while (open < d.tokens.size() && d.word(open) != "{" && d.word(open) != ";") ++open;
    if (d.word(open) != "{") continue;
    const std::size_t close = source::closing(d.tokens, open);
    for (; open < close; ++open)
      if (is_name(open)) {
        d.refuse(formatted("the function on line {} uses {}", d.tokens[i].line, d.word(open)));
        return true;
      }
  }
  return false;
}

std::string_view word_of_warps(const delay_draft& d, const kernel_text& k) {
  constexpr std::string_view beginnings[] = {"__shfl",  "__ballot", "__any", "__all",  "__match",  "__reduce_",
                                             "__syncw", "__active", "wmma",  "nvcuda", "warpSize", "cooperative_groups",
                                             "cg",      "asm",      "__asm", "cub",    "lane"};
  for (std::size_t i = k.open; i < k.close; ++i)
    for (const std::string_view b : beginnings)
      if (d.is_word(i) && d.word(i).starts_with(b)) return d.word(i);
  return {};
}

namespace {

// Whether the name that is declared at token i is known at token `use`.
bool is_known_at(const delay_draft& d, std::size_t i, std::size_t use) {
  return i < use && use < d.reader.scope_end(i);
}

// Returns the initial value of a name that is not the first one in its declaration: b in `const int a = 1, b = 2 * a;`.
// source::range_of only knows the first one. Returns nothing if several declarations of the name are known at its use.
std::optional<source::token_range> later_value(const delay_draft& d, std::size_t use) {
  const std::string_view name = d.word(use);
  std::optional<source::token_range> found;
  for (std::size_t i = 1; i + 2 < d.tokens.size(); ++i) {
    if (d.word(i) != name || d.tokens[i].of_directive || !is_known_at(d, i, use)) continue;
    const bool is_later = d.word(i - 1) == "," && d.word(i + 1) == "=" && d.word(d.reader.around(i)) != "(";
    if (!is_later && !d.reader.is_declared_at(i)) continue;
    if (found || !is_later) return std::nullopt;
    bool is_constant = false;
    for (std::size_t k = i; k-- > 0 && !is_constant;) {
      const std::string_view s = d.word(k);
      if (s == ";" || s == "{" || s == "}" || s == "(" || d.tokens[k].of_directive) break;
      is_constant = s == "const" || s == "constexpr";
    }
    std::size_t last = i + 2;
    while (last < d.tokens.size() && d.word(last) != "," && d.word(last) != ";") {
      if (source::opens(d.tokens[last])) last = source::closing(d.tokens, last);
      ++last;
    }
    if (!is_constant || last >= d.tokens.size() || last == i + 2) return std::nullopt;
    found = source::token_range{i + 2, last - 1};
  }
  return found;
}

// Values of constants that are defined by other constants. Each definition is evaluated once.
using known_values = std::map<std::size_t, std::optional<std::uint64_t>>;  // by the first token of the definition

std::optional<std::uint64_t> value_of(const delay_draft& d, const source::token_range& r, known_values& known) {
  source::known_names names;
  for (std::size_t i = r.first; i <= r.second; ++i) {
    if (!d.is_word(i) || names.constants.contains(d.word(i))) continue;
    const auto its = later_value(d, i);
    if (!its) continue;
    const auto [at, is_new] = known.try_emplace(its->first);
    if (is_new) {
      const auto value = value_of(d, *its, known);
      known[its->first] = value;
    }
    if (const auto& value = known[its->first]) names.constants.emplace(d.word(i), static_cast<std::int64_t>(*value));
  }
  const auto range = source::range_of(d.reader, r, r.first, names);
  if (!source::is_fixed(range) || range->least < 0) return std::nullopt;
  return static_cast<std::uint64_t>(range->least);
}

}  // namespace

std::optional<std::uint64_t> value_of(const delay_draft& d, const source::token_range& r) {
  known_values known;
  return value_of(d, r, known);
}

}  // namespace bankwise::edit
