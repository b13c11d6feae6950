// Parses expressions in mangled names: literals, calls, operators.
#include "cubin/names/name_parser.hpp"

#include "base/format.hpp"
#include "cubin/names/demangler.hpp"
#include "cubin/names/name_words.hpp"

namespace bankwise::cubin::names {

const node* name_parser::literal() {
  ++at_;
  if (take("_Z")) {
    const node* n = encoding(true);
    return n != nullptr && take('E') ? n : nullptr;
  }
  const char code = peek();
  const char* suffix = nullptr;
  for (const builtin& b : builtins)
    if (b.code == code) suffix = b.suffix;
  const node* t = type();
  if (t == nullptr) return nullptr;
  if (code == 'D' && take('E')) return word("(decltype(nullptr))0");
  std::string value = take('n') ? "-" : "";
  const std::size_t begin = at_;
  while (peek() != 'E' && peek() != '\0') ++at_;
  value += text_.substr(begin, at_ - begin);
  if (value.empty() || !take('E')) return nullptr;
  if (code == 'b' && (value == "0" || value == "1")) return word(value == "1" ? "true" : "false");
  if (suffix != nullptr) return word(value + suffix);
  const bool floats = code == 'f' || code == 'd' || code == 'e' || code == 'g';
  return row({{"(", nullptr}, {"", t}, {floats ? ")[" + value + "]" : ")" + value, nullptr}});
}

const node* name_parser::unresolved_scope() {
  const node* n = nullptr;
  while (!take('E')) {
    const node* inner = source_name();
    if (inner == nullptr) return nullptr;
    n = n == nullptr ? inner : qualified(n, inner);
    if (peek() == 'I') n = with_arguments(n, false);
    if (n == nullptr) return nullptr;
  }
  return n;
}

const node* name_parser::call() {
  const node* called = expression();
  const node* list = called == nullptr ? nullptr : expressions('E');
  return list == nullptr ? nullptr : row({{"", in_brackets(called)}, {"(", nullptr}, {"", list}, {")", nullptr}});
}

const node* name_parser::expressions(char end) {
  node* list = make(form::list);
  while (!take(end)) {
    const node* a = expression();
    if (a == nullptr) return nullptr;
    list->items.push_back({"", a});
  }
  return list;
}

const node* name_parser::creation(const char* scope) {
  const node* place = expressions('_');
  const node* t = place == nullptr ? nullptr : type();
  const node* list = t == nullptr || !take("pi") ? nullptr : expressions('E');
  if (list == nullptr) return nullptr;
  node* n = row({{std::string(scope) + "new ", nullptr}});
  if (!place->items.empty()) n->items.insert(n->items.end(), {{"(", nullptr}, {"", place}, {") ", nullptr}});
  n->items.insert(n->items.end(), {{"", t}, {"(", nullptr}, {"", list}, {")", nullptr}});
  return n;
}

const node* name_parser::member_of(const char* sign) {
  const node* a = expression();
  const node* name = a == nullptr ? nullptr : unresolved_name();
  return name == nullptr ? nullptr : row({{"", in_brackets(a)}, {sign, nullptr}, {"", name}});
}

const node* name_parser::conversion() {
  const node* t = type();
  const node* a = t == nullptr ? nullptr : expression();
  return a == nullptr ? nullptr : row({{"(", nullptr}, {"", t}, {")", nullptr}, {"", in_brackets(a)}});
}

const node* name_parser::unresolved_name() {
  const node* name = is_digit(peek()) ? source_name() : nullptr;
  return name != nullptr && peek() == 'I' ? with_arguments(name, false) : name;
}

const node* name_parser::expression() {
  const level here(depth_);
  if (too_deep()) return nullptr;
  if (peek() == 'L') return literal();
  if (peek() == 'T') return template_parameter();
  if (is_digit(peek())) return unresolved_name();
  if (take("cl")) return call();
  if (take("dt")) return member_of(".");
  if (take("pt")) return member_of("->");
  if (take("cv")) return conversion();
  if (take("gsnw")) return creation("::");
  if (take("nw")) return creation("");
  if (take("sp")) {
    const node* e = expression();
    return e == nullptr ? nullptr : make(form::expansion, {{"", e}});
  }
  if (take("sr")) {
    const node* t = is_digit(peek()) ? unresolved_scope() : type();
    const node* n = t == nullptr ? nullptr : unqualified_name(nullptr);
    if (n == nullptr) return nullptr;
    n = qualified(t, n);
    return peek() == 'I' ? with_arguments(n, false) : n;
  }
  if (take("st")) {
    const node* t = type();
    return t == nullptr ? nullptr : row({{"sizeof (", nullptr}, {"", t}, {")", nullptr}});
  }
  if (peek() == 's' && peek(1) == 'Z' && peek(2) == 'T') {
    at_ += 2;
    const node* t = template_parameter();
    if (t == nullptr) return nullptr;
    const node* stands_for = t->kind == form::parameter ? t->items[0].what : nullptr;
    return stands_for != nullptr && stands_for->kind == form::pack ? word(std::to_string(stands_for->items.size()))
                                                                   : nullptr;
  }
  if (take("fpT")) return simple_word("this");
  if (take("fp")) {
    cv_qualifiers();
    const auto n = sequence();
    return n ? simple_word(formatted("{{parm#{}}}", *n + 1)) : nullptr;
  }
  const operator_name* o = operator_code();
  if (o == nullptr || o->operands > 2 || o->code == "ix" || o->code == "pp" || o->code == "mm") return nullptr;
  const node* a = expression();
  if (a == nullptr) return nullptr;
  // The address of a member is printed as the member's name only.
  if (o->code == "ad" && a->kind == form::function && a->items[2].what != nullptr && a->items[2].what->is_simple &&
      a->items[2].what->items.size() > 1)
    a = a->items[2].what;
  if (o->operands == 1) return row({{std::string(o->text), nullptr}, {"", in_brackets(a)}});
  const node* b = expression();
  if (b == nullptr) return nullptr;
  std::vector<piece> items{{"", in_brackets(a)}, {std::string(o->text), nullptr}, {"", in_brackets(b)}};
  if (o->text == ">") {  // in brackets, because the > would otherwise close the template's arguments
    items.insert(items.begin(), {"(", nullptr});
    items.push_back({")", nullptr});
  }
  return row(std::move(items));
}

}  // namespace bankwise::cubin::names
