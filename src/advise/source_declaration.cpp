// No parser of C++: statements are found by their words, and whatever is not understood is passed over.
#include "advise/source_declaration.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "expr/declaration.hpp"

namespace bankwise::advise {

namespace {

constexpr std::size_t most_statement = 1000;  // characters that one is looked at for

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Comments become blanks; lines stay where they are.
std::string without_comments(std::string_view source) {
  std::string s(source);
  enum { code, line, block, quoted } in = code;
  char quote = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i], next = i + 1 < s.size() ? s[i + 1] : '\0';
    if (in == quoted) {
      if (c == '\\')
        ++i;
      else if (c == quote || c == '\n')
        in = code;
      continue;
    }
    if (in == code && (c == '"' || (c == '\'' && (i == 0 || !is_word(s[i - 1]))))) {
      in = quoted;
      quote = c;
      continue;
    }
    if (in == code && c == '/' && (next == '/' || next == '*')) in = next == '/' ? line : block;
    if (in == line && c == '\n') in = code;
    if (in == block && c == '*' && next == '/') {
      s[i] = s[i + 1] = ' ';
      in = code;
      continue;
    }
    if (in != code && c != '\n') s[i] = ' ';
  }
  return s;
}

bool stands_at(std::string_view s, std::size_t at, std::string_view word) {
  return s.substr(at, word.size()) == word && (at == 0 || !is_word(s[at - 1])) &&
         (at + word.size() >= s.size() || !is_word(s[at + word.size()]));
}

std::string_view last_name(std::string_view text) {
  text = trim(text);
  std::size_t from = text.size();
  while (from > 0 && is_word(text[from - 1])) --from;
  return text.substr(from);
}

// "a<b, c>, d" -> "a<b, c>" and " d"
std::vector<std::string_view> split_outside(std::string_view s) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '<' || s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == '>' || s[i] == ')' || s[i] == ']') --depth;
    if (s[i] == ',' && depth == 0) {
      parts.push_back(s.substr(from, i - from));
      from = i + 1;
    }
  }
  parts.push_back(s.substr(from));
  return parts;
}

// What stands between the angle brackets that open at `at`.
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

  // Reads on to `end`: later definitions hide earlier ones.
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

  const expr::scope& scope() const { return scope_; }
  std::string type_of(std::string_view name) const {
    const auto at = types_.find(std::string(name));
    return at == types_.end() ? std::string(name) : at->second;
  }

 private:
  void set(std::string_view name, std::string_view value) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return;
    scope_.constants.erase(std::string(name));
    if (const auto one = expr::parse_constant(std::string(name) + "=" + std::string(trim(value)), scope_))
      scope_.constants[one->first] = one->second;
  }

  void read_define() {
    std::string_view line = code_.substr(at_, std::min(code_.find('\n', at_), code_.size()) - at_);
    line = trim(line.substr(line.find("define") + 6));
    std::size_t n = 0;
    while (n < line.size() && is_word(line[n])) ++n;
    if (n < line.size() && line[n] != '(') set(line.substr(0, n), line.substr(n));
  }

  // "const int BM = 64, BN = 32;"
  void read_constant() {
    std::size_t end = at_;
    // Up to the end of the statement; of a parameter the list of them ends first.
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
        types_[std::string(name)] = std::string(value);
      else
        set(name, value);
    }
  }

  std::string_view code_;
  const std::string& kernel_;
  std::size_t at_ = 0;
  expr::scope scope_;
  std::map<std::string, std::string> types_;
};

}  // namespace

std::optional<expr::array_decl> find_declaration(std::string_view source, const declaration_wanted& wanted) {
  const std::string code = without_comments(source);
  std::size_t end = 0;
  for (std::uint32_t line = 1; line < wanted.before_line && end < code.size(); ++line)
    end = std::min(code.find('\n', end), code.size() - 1) + 1;
  if (wanted.before_line == 0) end = code.size();

  constexpr std::string_view word = "__shared__";
  names_before names(code, wanted.kernel);
  std::optional<expr::array_decl> found;
  for (std::size_t at = code.find(word); at < end; at = code.find(word, at + 1)) {
    const std::size_t stop = code.find_first_of(";{}", at);
    if (stop == std::string::npos || stop - at > most_statement || code[stop] != ';') continue;
    std::string statement = code.substr(at, stop - at);
    std::replace_if(statement.begin(), statement.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    const auto parts = split_outside(statement);
    // The type stands before the first name alone.
    std::string_view head = parts[0].substr(0, parts[0].find('['));
    const std::string_view first = last_name(head);
    head = trim(head.substr(0, head.rfind(first)));
    const std::string_view type = last_name(head);
    if (first.empty() || type.empty()) continue;
    names.read_to(at);
    const std::string before = std::string(head.substr(0, head.size() - type.size())) + names.type_of(type) + " ";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string one = i == 0 ? std::string(parts[0].substr(static_cast<std::size_t>(first.data() - parts[0].data())))
                                     : std::string(trim(parts[i]));
      if (last_name(std::string_view(one).substr(0, one.find('['))) != wanted.name) continue;
      const auto array = expr::parse_array(before + one, names.scope());
      if (!array) continue;
      std::uint64_t bytes = array->element_bytes;
      for (const std::uint64_t n : array->extents) bytes *= n;
      if (bytes == wanted.bytes) found = *array;
    }
  }
  return found;
}

}  // namespace bankwise::advise
