// Parses types in mangled names, with substitutions, template parameters and template arguments.
#include "cubin/names/name_parser.hpp"

#include "base/format.hpp"
#include "cubin/names/demangler.hpp"
#include "cubin/names/name_words.hpp"

namespace bankwise::cubin::names {

const node* name_parser::parameter_list() {
  node* list = make(form::list);
  if (peek() == 'v' && (peek(1) == 'E' || peek(1) == '\0' || peek(1) == '.')) {
    ++at_;
    return list;
  }
  while (peek() != 'E' && peek() != '\0' && peek() != '.') {
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') break;
    const node* t = type();
    if (t == nullptr) return nullptr;
    list->items.push_back({"", t});
  }
  return list->items.empty() ? nullptr : list;
}

const node* name_parser::substitution() {
  ++at_;
  for (const auto& a : abbreviations)
    if (take(a.code)) return word(a.text);
  std::size_t n = 0;
  if (!take('_')) {
    for (; peek() != '_'; ++at_) {
      const char c = peek();
      if (!is_digit(c) && !(c >= 'A' && c <= 'Z')) return nullptr;
      n = n * 36 + static_cast<std::size_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
      if (n > most_mangled_bytes) return nullptr;
    }
    ++at_;
    ++n;
  }
  if (n >= substitutions_.size()) return nullptr;
  const node* what = substitutions_[n];
  // A parameter refers to the template that contains the parameter.
  return what->kind == form::parameter ? parameter_of(what->index) : what;
}

const node* name_parser::parameter_of(std::size_t n) {
  if (n >= parameters_.size()) return nullptr;
  node* p = make(form::parameter, {{"", parameters_[n]}});
  p->index = n;
  return p;
}

const node* name_parser::template_parameter() {
  ++at_;
  const auto n = sequence();
  if (!n) return nullptr;
  if (in_lambda_) return word("auto:" + std::to_string(*n + 1));
  return parameter_of(*n);
}

const node* name_parser::template_arguments(bool own) {
  const level here(depth_);
  if (too_deep()) return nullptr;
  ++at_;
  if (own) parameters_.clear();
  node* list = make(form::arguments);
  while (!take('E')) {
    const node* a = template_argument();
    if (a == nullptr) return nullptr;
    list->items.push_back({"", a});
    if (own) parameters_.push_back(a);
  }
  return list;
}

const node* name_parser::template_argument() {
  const level here(depth_);
  if (too_deep()) return nullptr;
  if (peek() == 'L') return literal();
  if (take('X')) {
    const node* e = expression();
    return e != nullptr && take('E') ? e : nullptr;
  }
  if (peek() == 'J' || (peek() == 'I')) {
    ++at_;
    node* pack = make(form::pack);
    while (!take('E')) {
      const node* a = template_argument();
      if (a == nullptr) return nullptr;
      pack->items.push_back({"", a});
    }
    return pack;
  }
  return type();
}

const node* name_parser::decltype_of() {
  at_ += 2;
  const node* e = expression();
  return e != nullptr && take('E') ? row({{"decltype (", nullptr}, {"", e}, {")", nullptr}}) : nullptr;
}

const node* name_parser::type() {
  const level here(depth_);
  if (too_deep()) return nullptr;
  const char c = peek();
  if (c == 'r' || c == 'V' || c == 'K') {
    const std::string q = reversed(cv_qualifiers());
    const node* t = peek() == 'F' ? function_type(q) : type();
    if (t == nullptr) return nullptr;
    return remember(t->kind == form::function && t->text == q ? t : make(form::suffixed, {{"", t}}, q));
  }
  for (const builtin& b : builtins)
    if (take(b.code)) return word(b.name);
  switch (c) {
    case 'P': return suffixed("*");
    case 'R': return suffixed("&");
    case 'O': return suffixed("&&");
    case 'C': return suffixed(" _Complex");
    case 'G': return suffixed(" _Imaginary");
    case 'F': return remember(function_type(""));
    case 'A': return remember(array_type());
    case 'M': {
      ++at_;
      const node* in = type();
      const node* t = in == nullptr ? nullptr : type();
      return t == nullptr ? nullptr : remember(make(form::member, {{"", in}, {"", t}}));
    }
    case 'T': {
      const node* t = template_parameter();
      if (t == nullptr) return nullptr;
      remember(t);
      return peek() == 'I' ? remember(with_arguments(t, false)) : t;
    }
    case 'S': return named_type();
    case 'u': {
      ++at_;
      return remember(source_name());
    }
    case 'U': {
      if (!is_digit(peek(1))) return remember(name(nullptr, false));
      ++at_;
      const node* q = source_name();
      const node* t = q == nullptr ? nullptr : type();
      return t == nullptr ? nullptr : remember(row({{"", t}, {" ", nullptr}, {"", q}}));
    }
    case 'D': return other_type();
    default: return is_digit(c) || c == 'N' || c == 'Z' ? remember(name(nullptr, false)) : nullptr;
  }
}

const node* name_parser::named_type() {
  const char c = peek(1);
  if (is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z')) {
    const node* t = substitution();
    return t != nullptr && peek() == 'I' ? remember(with_arguments(t, false)) : t;
  }
  const bool abbreviated = c != 't';
  const node* t = name(nullptr, false);
  return t != nullptr && abbreviated && !t->is_template ? t : remember(t);
}

const node* name_parser::other_type() {
  if (peek(1) == 't' || peek(1) == 'T') return remember(decltype_of());
  ++at_;
  if (take('p')) {
    const node* t = type();
    return t == nullptr ? nullptr : remember(make(form::expansion, {{"", t}}));
  }
  if (take('v')) {  // for example Dv4_f
    const auto n = decimal();
    if (!n || !take('_')) return nullptr;
    const node* t = type();
    return t == nullptr ? nullptr : remember(row({{"", t}, {formatted(" __vector({})", *n), nullptr}}));
  }
  if (take('F')) {  // for example DF16_, DF16b
    const auto n = decimal();
    if (!n) return nullptr;
    if (take('b')) return word(formatted("std::bfloat{}_t", *n));
    if (take('x')) return word(formatted("_Float{}x", *n));
    return take('_') ? word("_Float" + std::to_string(*n)) : nullptr;
  }
  for (const builtin& b : more_builtins)
    if (take(b.code)) return word(b.name);
  return nullptr;
}

const node* name_parser::suffixed(const char* text) {
  ++at_;
  const node* t = type();
  return t == nullptr ? nullptr : remember(make(form::suffixed, {{"", t}}, text));
}

const node* name_parser::function_type(const std::string& qualifiers) {
  ++at_;
  take('Y');  // extern "C"
  const node* result = type();
  if (result == nullptr) return nullptr;
  const node* list = parameter_list();
  if (list == nullptr) return nullptr;
  std::string q = qualifiers;
  if (take('R')) q += " &";
  if (take('O')) q += " &&";
  return take('E') ? make(form::function, {{"", result}, {"", list}, {"", nullptr}}, q) : nullptr;
}

const node* name_parser::array_type() {
  ++at_;
  const node* extent = nullptr;
  if (is_digit(peek())) {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    extent = word(std::string(text_.substr(begin, at_ - begin)));
  } else if (peek() != '_') {
    extent = expression();
    if (extent == nullptr) return nullptr;
  }
  if (!take('_')) return nullptr;
  const node* t = type();
  return t == nullptr ? nullptr : make(form::array, {{"", extent}, {"", t}});
}

}  // namespace bankwise::cubin::names
