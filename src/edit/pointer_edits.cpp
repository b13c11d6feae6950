// Edits of a kernel's pointers: promises to the compiler that arrays do not overlap, and that they are aligned.
#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

namespace {

constexpr std::uint64_t widest_load = 16;  // bytes of one load of a thread

struct pointer_parameter {
  std::size_t name = 0;    // token
  std::size_t number = 0;  // among all parameters, from 0
  bool is_constant = false, is_restricted = false;
};

// Returns the parameters of the kernel that are pointers, such as `const float* in`.
std::vector<pointer_parameter> pointers_of(const delay_draft& d, const kernel_text& k) {
  std::vector<pointer_parameter> all;
  std::size_t number = 0;
  for (const auto& [first, last] : d.reader.list_in(k.parameters)) {
    std::size_t name = last, star = 0;
    bool is_plain = true;
    ++number;
    for (std::size_t i = first; i <= last; ++i) {
      is_plain &= !d.tokens[i].of_directive && d.word(i) != "(" && d.word(i) != "[";
      if (d.word(i) == "=") name = i - 1;
      if (d.word(i) == "*") star = i;
    }
    if (!is_plain || star == 0 || !d.is_word(name) || name <= star) continue;
    pointer_parameter p{name, number - 1};
    for (std::size_t i = star; i < name; ++i) {
      p.is_constant |= d.word(i) == "const";
      p.is_restricted |= d.word(i) == "__restrict__" || d.word(i) == "__restrict";
    }
    all.push_back(p);
  }
  return all;
}

bool has_directive(const delay_draft& d, std::size_t from, std::size_t to) {
  return std::any_of(d.tokens.begin() + static_cast<std::ptrdiff_t>(from),
                     d.tokens.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const source::token& t) { return t.of_directive; });
}

// Inserts statements at the beginning of a body. A comment after the bracket stays where it is.
void add_statements(delay_draft& d, std::size_t open, const std::vector<std::string>& list, std::string_view why) {
  const std::string_view s = d.reader.source();
  const std::size_t begin = d.tokens[open].end(), end = std::min(s.find('\n', begin), s.size());
  const bool is_last = d.tokens[open + 1].at > end;
  const std::string_view rest = s.substr(begin, end - begin);
  if (!is_last || rest.find("/*") != std::string_view::npos || end == s.size()) {
    std::string text = formatted(" /* {} */", why);
    for (const std::string& one : list) text += formatted(" {}", one);
    return d.insert(begin, std::move(text));
  }
  const bool has_return = !rest.empty() && rest.back() == '\r';
  std::size_t of_next = d.tokens[open + 1].at;
  while (of_next > 0 && s[of_next - 1] != '\n') --of_next;
  std::string_view indent = s.substr(of_next, d.tokens[open + 1].at - of_next);
  if (indent.find_first_not_of(" \t") != std::string_view::npos || indent.empty()) indent = "  ";
  const std::string_view line_end = has_return ? "\r\n" : "\n";
  std::string text = formatted("{}{}// {}", line_end, indent, why);
  for (const std::string& one : list) text += formatted("{}{}{}", line_end, indent, one);
  d.insert(has_return ? end - 1 : end, std::move(text));
}

}  // namespace

void restrict_pointers(delay_draft& d) {
  const auto k = need_kernel(d);
  if (!k) return;
  if (has_directive(d, k->parameters, k->open)) return d.refuse("its parameters contain directives");
  const std::vector<pointer_parameter> all = pointers_of(d, *k);
  if (all.size() < 2) return d.refuse(formatted("{} has fewer than two pointers as parameters", d.kernel));
  std::vector<std::size_t> numbers;
  for (const pointer_parameter& p : all) numbers.push_back(p.number);
  if (passes_twice(d, numbers))
    return d.refuse(formatted("a launch passes one array to two parameters of {}", d.kernel));
  std::vector<std::string> names;
  for (const pointer_parameter& p : all) {
    if (p.is_restricted) continue;
    d.insert(d.tokens[p.name].at, "__restrict__ ");
    names.emplace_back(d.word(p.name));
  }
  if (names.empty()) return d.refuse(formatted("all pointers of {} already have __restrict__", d.kernel));
  d.made.words = formatted("__restrict__ before {}: no two of these arrays overlap", enumerated(names));
}

void align_pointers(delay_draft& d) {
  const auto k = need_kernel(d);
  if (!k) return;
  if (!has_line(d, *k)) return d.refuse(formatted("its loads are not in the body of {} itself", d.kernel));
  if (has_directive(d, k->parameters, k->open)) return d.refuse("its parameters contain directives");
  std::vector<std::string> names, statements;
  for (const pointer_parameter& p : pointers_of(d, *k)) {
    const std::string_view name = d.word(p.name);
    bool is_indexed = false, is_told = false;
    for (std::size_t i = k->open; i < k->close; ++i) {
      if (d.word(i) != name || !d.is_word(i) || d.word(i - 1) == "." || d.word(i - 1) == "->") continue;
      is_indexed |= d.word(i + 1) == "[" && d.tokens[i].line == d.line;
      is_told |= d.word(i - 1) == "(" && d.word(i - 2) == "__builtin_assume_aligned";
    }
    if (!is_indexed || p.is_constant || is_told) continue;
    names.emplace_back(name);
    statements.push_back(
        formatted("{} = static_cast<decltype({})>(__builtin_assume_aligned({}, {}));", name, name, name, widest_load));
  }
  if (names.empty())
    return d.refuse(formatted("line {} has no index of a pointer that is a parameter of {}", d.line, d.kernel));
  add_statements(d, k->open, statements, formatted("must be aligned to {} bytes: {}", widest_load, enumerated(names)));
  d.made.words =
      formatted("nvcc may assume that {} {} aligned to {} bytes, and so joins neighbouring loads into wide ones",
                enumerated(names), names.size() == 1 ? "is" : "are", widest_load);
}

}  // namespace bankwise::edit
