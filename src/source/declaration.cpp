// Finds statements by their words, and skips everything else. This file does not parse C++.
#include "source/declaration.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/parse/declaration.hpp"
#include "source/text.hpp"

namespace bankwise::source {

namespace {

// Returns the text between two angle brackets. The opening bracket is at `at`.
std::string_view in_brackets(std::string_view s, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < s.size() && i < at + most_statement; ++i) {
    if (s[i] == '<') ++depth;
    if (s[i] == '>' && --depth == 0) return s.substr(at + 1, i - at - 1);
  }
  return {};
}

class names_before {
 public:
  names_before(std::string_view code, const std::string& kernel) : code_(code), kernel_(kernel) {}

  // Reads definitions up to `end`. A later definition replaces an earlier one.
  void read_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      const char c = code_[at_];
      if (c == '#' && stands_at(code_, at_ + 1, "define")) {
        read_define();
      } else if (c == 'c' && (stands_at(code_, at_, "const") || stands_at(code_, at_, "constexpr"))) {
        read_constant();
      } else if (c == 't' && stands_at(code_, at_, "template")) {
        read_template();
      }
    }
  }

  const expr::scope& scope() const { return found_.scope; }
  std::string type_of(std::string_view name) const { return found_.type_of(name); }
  constants found() const { return found_; }

 private:
  void set(std::string_view name, std::string_view value) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return;
    found_.scope.constants.erase(std::string(name));
    if (const auto one = expr::parse_constant(formatted("{}={}", name, trim(value)), found_.scope))
      found_.scope.constants[one->first] = one->second;
  }

  void read_define() {
    std::string_view line = code_.substr(at_, std::min(code_.find('\n', at_), code_.size()) - at_);
    line = trim(line.substr(line.find("define") + 6));
    std::size_t n = 0;
    while (n < line.size() && is_word(line[n])) ++n;
    if (n < line.size() && line[n] != '(') set(line.substr(0, n), line.substr(n));
  }

  // Reads a statement such as "const int BM = 64, BN = 32;".
  void read_constant() {
    std::size_t end = at_;
    // Finds the end of the statement. If '{' or the end of a parameter list comes first, nothing is read.
    for (int depth = 0; end < code_.size() && end - at_ < most_statement && code_[end] != ';'; ++end) {
      if (code_[end] == '(') ++depth;
      if (code_[end] == '{' || (code_[end] == ')' && --depth < 0)) return;
    }
    if (end >= code_.size() || code_[end] != ';') return;
    for (const std::string_view one : split_outside(code_.substr(at_, end - at_)))
      if (const std::size_t equals = one.find('='); equals != std::string_view::npos)
        set(last_name(one.substr(0, equals)), one.substr(equals + 1));
  }

  void read_template() {
    const std::size_t open = code_.find('<', at_), given = kernel_.find('<');
    if (open == std::string_view::npos || open > at_ + 16) return;
    const auto names = split_outside(in_brackets(code_, open));
    if (given == std::string::npos) return;
    const auto values = split_outside(in_brackets(kernel_, given));
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
      const std::string_view name = last_name(names[i].substr(0, names[i].find('=')));
      std::string_view value = trim(values[i]);
      if (value.starts_with('(')) value = value.substr(std::min(value.find(')') + 1, value.size()));
      if (trim(names[i]).starts_with("typename") || trim(names[i]).starts_with("class"))
        found_.types[std::string(name)] = std::string(value);
      else
        set(name, value);
    }
  }

  std::string_view code_;
  const std::string& kernel_;
  std::size_t at_ = 0;
  constants found_;
};

}  // namespace

std::string constants::type_of(std::string_view name) const {
  const auto at = types.find(std::string(name));
  return at == types.end() ? std::string(name) : at->second;
}

constants constants_before(std::string_view code, std::size_t end, const std::string& kernel) {
  names_before names(code, kernel);
  names.read_to(std::min(end, code.size()));
  return names.found();
}

std::optional<expr::array_decl> find_declaration(std::string_view source, const declaration_wanted& wanted) {
  const std::string code = without_comments(source);
  const std::size_t end = wanted.before_line == 0 ? code.size() : begin_of_line(code, wanted.before_line);

  constexpr std::string_view word = "__shared__";
  names_before names(code, wanted.kernel);
  std::optional<expr::array_decl> found;
  for (std::size_t at = code.find(word); at < end; at = code.find(word, at + 1)) {
    const std::size_t stop = code.find_first_of(";{}", at);
    if (stop == std::string::npos || stop - at > most_statement || code[stop] != ';') continue;
    std::string statement = code.substr(at, stop - at);
    std::replace_if(
        statement.begin(), statement.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    const auto parts = split_outside(statement);
    // Only the first name follows a type, as in "int a = 1, b = 2".
    std::string_view head = parts[0].substr(0, parts[0].find('['));
    const std::string_view first = last_name(head);
    head = trim(head.substr(0, head.rfind(first)));
    const std::string_view type = last_name(head);
    if (first.empty() || type.empty()) continue;
    names.read_to(at);
    const std::string before =
        formatted("{}{} ", std::string(head.substr(0, head.size() - type.size())), names.type_of(type));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string one =
          i == 0 ? std::string(parts[0].substr(static_cast<std::size_t>(first.data() - parts[0].data())))
                 : std::string(trim(parts[i]));
      if (last_name(std::string_view(one).substr(0, one.find('['))) != wanted.name) continue;
      const auto array = expr::parse_array(before + one, names.scope());
      if (array && bytes_of(*array) == wanted.bytes) found = *array;
    }
  }
  return found;
}

}  // namespace bankwise::source
