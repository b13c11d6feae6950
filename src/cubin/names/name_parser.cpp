// Parses the names of functions, classes, namespaces, operators and lambdas.
#include "cubin/names/name_parser.hpp"

#include "base/format.hpp"
#include "cubin/names/demangler.hpp"
#include "cubin/names/name_words.hpp"

namespace bankwise::cubin::names {

std::optional<tree> name_parser::run() {
  const node* n = encoding(true);
  if (n != nullptr && at_ < text_.size() && text_[at_] == '.') n = clone(n);
  if (n == nullptr || at_ != text_.size()) return std::nullopt;
  return tree{std::move(nodes_), n};
}

std::optional<std::size_t> name_parser::decimal() {
  if (!is_digit(peek())) return std::nullopt;
  std::size_t n = 0;
  while (is_digit(peek())) {
    n = n * 10 + static_cast<std::size_t>(text_[at_++] - '0');
    if (n > 100'000) return std::nullopt;
  }
  return n;
}

std::optional<std::size_t> name_parser::sequence() {
  if (take('_')) return 0;
  const auto n = decimal();
  if (!n || !take('_')) return std::nullopt;
  return *n + 1;
}

const node* name_parser::clone(const node* n) {
  while (n != nullptr && peek() == '.') {
    const std::size_t begin = at_;
    if (is_lower(peek(1)) || peek(1) == '_')
      for (at_ += 2; is_lower(peek()) || peek() == '_';) ++at_;
    else if (is_digit(peek(1)))
      ++at_;
    else
      return nullptr;
    if (is_digit(peek())) {
      while (is_digit(peek())) ++at_;
    }
    while (peek() == '.' && is_digit(peek(1)))
      for (++at_; is_digit(peek());) ++at_;
    n = row({{"", n}, {formatted(" [clone {}]", std::string(text_.substr(begin, at_ - begin))), nullptr}});
  }
  return n;
}

const node* name_parser::encoding(bool with_result) {
  const level here(depth_);
  if (too_deep()) return nullptr;
  if (peek() == 'T' || (peek() == 'G' && (peek(1) == 'V' || peek(1) == 'R'))) return special();
  const auto outer = std::exchange(parameters_, {});
  std::string qualifiers;
  const node* n = name(&qualifiers, true);
  const node *result = nullptr, *list = nullptr;
  if (n != nullptr && at_ != text_.size() && peek() != 'E' && peek() != '.') {
    const bool has_result = n->is_template && !n->has_no_return;
    if (has_result) result = type();
    if (has_result && result == nullptr) return nullptr;
    list = parameter_list();
    if (list == nullptr) return nullptr;
  }
  parameters_ = outer;
  if (n == nullptr || list == nullptr) return qualifiers.empty() ? n : nullptr;
  return make(form::function, {{"", with_result ? result : nullptr}, {"", list}, {"", n}}, qualifiers);
}

const node* name_parser::special() {
  constexpr std::pair<std::string_view, const char*> of_types[] = {
      {"TV", "vtable for "}, {"TT", "VTT for "}, {"TI", "typeinfo for "}, {"TS", "typeinfo name for "}};
  for (const auto& [code, text] : of_types)
    if (take(code)) {
      const node* t = type();
      return t == nullptr ? nullptr : row({{text, nullptr}, {"", t}});
    }
  if (!take("GV")) return nullptr;
  const node* n = name(nullptr, false);
  return n == nullptr ? nullptr : row({{"guard variable for ", nullptr}, {"", n}});
}

const node* name_parser::name(std::string* qualifiers, bool own) {
  const level here(depth_);
  if (too_deep()) return nullptr;
  if (peek() == 'N') return nested_name(qualifiers, own);
  if (peek() == 'Z') return local_name(qualifiers, own);
  const node* n = nullptr;
  bool is_new = true;
  if (peek() == 'S' && peek(1) == 't') {
    at_ += 2;
    const node* inner = unqualified_name(nullptr);
    if (inner == nullptr) return nullptr;
    n = qualified(word("std"), inner);
  } else if (peek() == 'S') {
    n = substitution();
    is_new = false;
    if (peek() != 'I') return n;
  } else {
    n = unqualified_name(nullptr);
  }
  if (n == nullptr || peek() != 'I') return n;
  if (is_new) remember(n);
  return with_arguments(n, own);
}

const node* name_parser::qualified(const node* in, const node* inner) {
  node* n = row({{"", in}, {"::", nullptr}, {"", inner}});
  n->is_simple = true;
  n->has_no_return = inner->has_no_return;
  return n;
}

const node* name_parser::with_arguments(const node* of, bool own) {
  const node* arguments = template_arguments(own);
  if (arguments == nullptr) return nullptr;
  node* n = row({{"", of}, {"", arguments}});
  n->is_template = true;
  n->has_no_return = of->has_no_return;
  return n;
}

std::string name_parser::cv_qualifiers() {
  std::string s;
  for (;;) {
    if (take('r'))
      s += " restrict";
    else if (take('V'))
      s += " volatile";
    else if (take('K'))
      s += " const";
    else
      return s;
  }
}

std::string name_parser::reversed(const std::string& qualifiers) {
  std::string s;
  for (const char* q : {" const", " volatile", " restrict"})
    if (qualifiers.find(q) != std::string::npos) s += q;
  return s;
}

const node* name_parser::nested_name(std::string* qualifiers, bool own) {
  ++at_;
  std::string after = reversed(cv_qualifiers());
  if (take('R')) after += " &";
  if (take('O')) after += " &&";
  if (!after.empty()) {
    if (qualifiers == nullptr) return nullptr;
    *qualifiers = after;
  }
  const node *n = nullptr, *last = nullptr;  // `last`: the name without template arguments, for constructors
  while (!take('E')) {
    const char c = peek();
    if (c == 'S' && peek(1) == 't') {
      if (n != nullptr) return nullptr;
      at_ += 2;
      n = word("std");
      continue;
    }
    if (c == 'S') {
      if (n != nullptr) return nullptr;
      n = last = substitution();
      if (n == nullptr) return nullptr;
      continue;
    }
    if (c == 'M' && n != nullptr) {  // the following text belongs to an initialised member
      ++at_;
      continue;
    }
    if (c == 'I') {
      if (n == nullptr || n->is_template) return nullptr;
      n = with_arguments(n, own);
    } else if (c == 'T') {
      if (n != nullptr) return nullptr;
      n = template_parameter();
    } else if (c == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
      if (n != nullptr) return nullptr;
      n = decltype_of();
    } else {
      const node* inner = unqualified_name(last);
      if (inner == nullptr) return nullptr;
      last = inner;
      n = n == nullptr ? inner : qualified(n, inner);
    }
    if (n == nullptr) return nullptr;
    if (peek() != 'E') remember(n);
  }
  return n;
}

const node* name_parser::local_name(std::string* qualifiers, bool own) {
  ++at_;
  const node* f = encoding(false);
  if (f == nullptr || !take('E')) return nullptr;
  if (take('s')) {
    if (!discriminator()) return nullptr;
    return row({{"", f}, {"::string literal", nullptr}});
  }
  std::string argument;
  if (take('d')) {
    const auto n = sequence();
    if (!n) return nullptr;
    argument = formatted("{{default arg#{}}}::", *n + 1);
  }
  const node* n = name(qualifiers, own);
  if (n == nullptr || !discriminator()) return nullptr;
  node* r = row({{"", f}, {"::" + argument, nullptr}, {"", n}});
  r->is_template = n->is_template;
  r->has_no_return = n->has_no_return;
  return r;
}

bool name_parser::discriminator() {
  if (peek() != '_') return true;
  if (peek(1) == '_' && is_digit(peek(2))) {
    at_ += 2;
    return decimal() && take('_');
  }
  if (!is_digit(peek(1))) return true;
  at_ += 2;
  return true;
}

const node* name_parser::source_name() {
  const auto length = decimal();
  if (!length || *length == 0 || *length > text_.size() - at_) return nullptr;
  const std::string_view s = text_.substr(at_, *length);
  at_ += *length;
  const bool anonymous =
      s.starts_with("_GLOBAL_") && s.size() > 10 && (s[8] == '_' || s[8] == '.' || s[8] == '$') && s[9] == 'N';
  node* n = word(anonymous ? "(anonymous namespace)" : std::string(s));
  n->is_simple = true;
  return n;
}

const node* name_parser::last_name(const node* n) {
  if (n->kind != form::row) return n;
  if (n->is_template) return last_name(n->items.front().what);
  if (n->items.size() == 3 && n->items[1].text == "::") return n->items[2].what;
  if (n->items.size() == 1 && n->items[0].text.starts_with("std::")) return word(n->items[0].text.substr(5));
  return n;
}

const node* name_parser::constructor(const char* sign, const node* of) {
  node* r = row({{sign, nullptr}, {"", last_name(of)}});
  r->has_no_return = true;
  return r;
}

const node* name_parser::unqualified_name(const node* of) {
  const level here(depth_);
  if (too_deep()) return nullptr;
  const node* n = nullptr;
  const char c = peek();
  take('L');  // internal linkage
  if (is_digit(peek())) {
    n = source_name();
  } else if (c == 'U') {
    n = closure();
  } else if ((c == 'C' && peek(1) >= '1' && peek(1) <= '5') || (c == 'D' && peek(1) >= '0' && peek(1) <= '5')) {
    if (of == nullptr) return nullptr;
    at_ += 2;
    n = constructor(c == 'D' ? "~" : "", of);
  } else if (c == 'C' && peek(1) == 'I' && peek(2) >= '1' && peek(2) <= '5') {
    at_ += 3;
    const node* base = type();
    if (base == nullptr) return nullptr;
    n = constructor("", base);
  } else if (is_lower(c)) {
    n = operator_function();
  }
  while (n != nullptr && take('B')) {
    const node* tag = source_name();
    if (tag == nullptr) return nullptr;
    node* r = row({{"", n}, {"[abi:", nullptr}, {"", tag}, {"]", nullptr}});
    r->has_no_return = n->has_no_return;
    n = r;
  }
  return n;
}

const operator_name* name_parser::operator_code() {
  for (const operator_name& o : operators)
    if (take(o.code)) return &o;
  return nullptr;
}

const node* name_parser::operator_function() {
  if (take("cv")) {
    const node* t = type();
    if (t == nullptr) return nullptr;
    node* n = row({{"operator ", nullptr}, {"", t}});
    n->has_no_return = true;
    return n;
  }
  if (take("li")) {
    const node* n = source_name();
    return n == nullptr ? nullptr : row({{"operator\"\" ", nullptr}, {"", n}});
  }
  const operator_name* o = operator_code();
  if (o == nullptr) return nullptr;
  std::string text(o->text);
  if (text.ends_with(' ')) text.pop_back();
  return word((is_lower(text[0]) ? "operator " : "operator") + text);
}

const node* name_parser::closure() {
  ++at_;
  if (take('t')) {
    const auto n = sequence();
    return n ? remember(word(formatted("{{unnamed type#{}}}", *n + 1))) : nullptr;
  }
  if (!take('l')) return nullptr;
  const bool before = in_lambda_;
  in_lambda_ = true;
  const node* list = parameter_list();
  in_lambda_ = before;
  if (list == nullptr || !take('E')) return nullptr;
  const auto n = sequence();
  if (!n) return nullptr;
  return row({{"{lambda(", nullptr}, {"", list}, {formatted(")#{}}}", *n + 1), nullptr}});
}

std::optional<tree> parse(std::string_view text) { return name_parser(text).run(); }

}  // namespace bankwise::cubin::names
