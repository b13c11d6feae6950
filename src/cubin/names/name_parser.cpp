#include "cubin/names/name_parser.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cubin/names/demangler.hpp"
#include "cubin/names/name_words.hpp"

namespace bankwise::cubin::names {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  std::optional<tree> run() {
    const node* n = encoding(true);
    if (n != nullptr && at_ < text_.size() && text_[at_] == '.') n = clone(n);
    if (n == nullptr || at_ != text_.size()) return std::nullopt;
    return tree{std::move(nodes_), n};
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view s) {
    if (!text_.substr(std::min(at_, text_.size())).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  bool too_deep() const { return depth_ > most_depth; }

  node* make(form kind, std::vector<piece> items = {}, std::string text = {}) {
    nodes_.push_back({kind, std::move(items), std::move(text)});
    return &nodes_.back();
  }
  node* row(std::vector<piece> items) { return make(form::row, std::move(items)); }
  node* word(std::string text) { return make(form::row, {{std::move(text), nullptr}}); }
  const node* simple_word(std::string text) {
    node* const n = word(std::move(text));
    n->is_simple = true;
    return n;
  }
  const node* remember(const node* n) {
    if (n != nullptr) substitutions_.push_back(n);
    return n;
  }

  // "12" -> 12; nothing if it is not a number, or larger than any number in a name.
  std::optional<std::size_t> decimal() {
    if (!is_digit(peek())) return std::nullopt;
    std::size_t n = 0;
    while (is_digit(peek())) {
      n = n * 10 + static_cast<std::size_t>(text_[at_++] - '0');
      if (n > 100'000) return std::nullopt;
    }
    return n;
  }
  // "_" -> 0, "0_" -> 1
  std::optional<std::size_t> sequence() {
    if (take('_')) return 0;
    const auto n = decimal();
    if (!n || !take('_')) return std::nullopt;
    return *n + 1;
  }

  // foo.constprop.1: each as the C++ library says it.
  const node* clone(const node* n) {
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
      n = row({{"", n}, {" [clone " + std::string(text_.substr(begin, at_ - begin)) + "]", nullptr}});
    }
    return n;
  }

  // --- names

  // `with_result`: of a function that something is local to, the return type is not printed.
  const node* encoding(bool with_result) {
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

  const node* special() {
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

  // `own`: of an encoding, whose template arguments its type refers to.
  const node* name(std::string* qualifiers, bool own) {
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

  const node* qualified(const node* in, const node* inner) {
    node* n = row({{"", in}, {"::", nullptr}, {"", inner}});
    n->is_simple = true;
    n->has_no_return = inner->has_no_return;
    return n;
  }

  const node* with_arguments(const node* of, bool own) {
    const node* arguments = template_arguments(own);
    if (arguments == nullptr) return nullptr;
    node* n = row({{"", of}, {"", arguments}});
    n->is_template = true;
    n->has_no_return = of->has_no_return;
    return n;
  }

  std::string cv_qualifiers() {
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
  // They are in the order r V K, and are printed from the innermost.
  static std::string reversed(const std::string& qualifiers) {
    std::string s;
    for (const char* q : {" const", " volatile", " restrict"})
      if (qualifiers.find(q) != std::string::npos) s += q;
    return s;
  }

  const node* nested_name(std::string* qualifiers, bool own) {
    ++at_;
    std::string behind = reversed(cv_qualifiers());
    if (take('R')) behind += " &";
    if (take('O')) behind += " &&";
    if (!behind.empty()) {
      if (qualifiers == nullptr) return nullptr;
      *qualifiers = behind;
    }
    const node *n = nullptr, *last = nullptr;  // last: the name without arguments, for constructors
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
      if (c == 'M' && n != nullptr) {  // what follows belongs to a member that is initialised
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

  // Z main E lambda
  const node* local_name(std::string* qualifiers, bool own) {
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
      argument = "{default arg#" + std::to_string(*n + 1) + "}::";
    }
    const node* n = name(qualifiers, own);
    if (n == nullptr || !discriminator()) return nullptr;
    node* r = row({{"", f}, {"::" + argument, nullptr}, {"", n}});
    r->is_template = n->is_template;
    r->has_no_return = n->has_no_return;
    return r;
  }

  bool discriminator() {
    if (peek() != '_') return true;
    if (peek(1) == '_' && is_digit(peek(2))) {
      at_ += 2;
      return decimal() && take('_');
    }
    if (!is_digit(peek(1))) return true;
    at_ += 2;
    return true;
  }

  const node* source_name() {
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

  // a::b<int>::c<int> -> c; of `Sa` allocator.
  const node* last_name(const node* n) {
    if (n->kind != form::row) return n;
    if (n->is_template) return last_name(n->items.front().what);
    if (n->items.size() == 3 && n->items[1].text == "::") return n->items[2].what;
    if (n->items.size() == 1 && n->items[0].text.starts_with("std::")) return word(n->items[0].text.substr(5));
    return n;
  }

  const node* constructor(const char* sign, const node* of) {
    node* r = row({{sign, nullptr}, {"", last_name(of)}});
    r->has_no_return = true;
    return r;
  }

  const node* unqualified_name(const node* of) {
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

  const operator_name* operator_code() {
    for (const operator_name& o : operators)
      if (take(o.code)) return &o;
    return nullptr;
  }

  const node* operator_function() {
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

  const node* closure() {
    ++at_;
    if (take('t')) {
      const auto n = sequence();
      return n ? remember(word("{unnamed type#" + std::to_string(*n + 1) + "}")) : nullptr;
    }
    if (!take('l')) return nullptr;
    const bool before = in_lambda_;
    in_lambda_ = true;
    const node* list = parameter_list();
    in_lambda_ = before;
    if (list == nullptr || !take('E')) return nullptr;
    const auto n = sequence();
    if (!n) return nullptr;
    return row({{"{lambda(", nullptr}, {"", list}, {")#" + std::to_string(*n + 1) + "}", nullptr}});
  }

  // --- types

  // Reads as many types as there are. A single "v" means none.
  const node* parameter_list() {
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

  const node* substitution() {
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
    // A parameter is that of the template which refers to it.
    return what->kind == form::parameter ? parameter_of(what->index) : what;
  }

  const node* parameter_of(std::size_t n) {
    if (n >= parameters_.size()) return nullptr;
    node* p = make(form::parameter, {{"", parameters_[n]}});
    p->index = n;
    return p;
  }

  const node* template_parameter() {
    ++at_;
    const auto n = sequence();
    if (!n) return nullptr;
    if (in_lambda_) return word("auto:" + std::to_string(*n + 1));
    return parameter_of(*n);
  }

  const node* template_arguments(bool own) {
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

  const node* template_argument() {
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

  const node* decltype_of() {
    at_ += 2;
    const node* e = expression();
    return e != nullptr && take('E') ? row({{"decltype (", nullptr}, {"", e}, {")", nullptr}}) : nullptr;
  }

  const node* type() {
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

  // A class by a reference to it, or in std.
  const node* named_type() {
    const char c = peek(1);
    if (is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z')) {
      const node* t = substitution();
      return t != nullptr && peek() == 'I' ? remember(with_arguments(t, false)) : t;
    }
    const bool abbreviated = c != 't';
    const node* t = name(nullptr, false);
    return t != nullptr && abbreviated && !t->is_template ? t : remember(t);
  }

  const node* other_type() {
    if (peek(1) == 't' || peek(1) == 'T') return remember(decltype_of());
    ++at_;
    if (take('p')) {
      const node* t = type();
      return t == nullptr ? nullptr : remember(make(form::expansion, {{"", t}}));
    }
    if (take('v')) {  // Dv4_f
      const auto n = decimal();
      if (!n || !take('_')) return nullptr;
      const node* t = type();
      return t == nullptr ? nullptr : remember(row({{"", t}, {" __vector(" + std::to_string(*n) + ")", nullptr}}));
    }
    if (take('F')) {  // DF16_, DF16b
      const auto n = decimal();
      if (!n) return nullptr;
      if (take('b')) return word("std::bfloat" + std::to_string(*n) + "_t");
      if (take('x')) return word("_Float" + std::to_string(*n) + "x");
      return take('_') ? word("_Float" + std::to_string(*n)) : nullptr;
    }
    for (const builtin& b : more_builtins)
      if (take(b.code)) return word(b.name);
    return nullptr;
  }

  const node* suffixed(const char* text) {
    ++at_;
    const node* t = type();
    return t == nullptr ? nullptr : remember(make(form::suffixed, {{"", t}}, text));
  }

  const node* function_type(const std::string& qualifiers) {
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

  const node* array_type() {
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

  // --- expressions

  // Li5E
  const node* literal() {
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

  const node* in_brackets(const node* n) { return n->is_simple ? n : row({{"(", nullptr}, {"", n}, {")", nullptr}}); }

  // 4cuda3std9is_signedIT_EE
  const node* unresolved_scope() {
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

  // (a)(b, c), (*this).a, (int)(a)
  const node* call() {
    const node* called = expression();
    const node* list = called == nullptr ? nullptr : expressions('E');
    return list == nullptr ? nullptr : row({{"", in_brackets(called)}, {"(", nullptr}, {"", list}, {")", nullptr}});
  }
  const node* expressions(char end) {
    node* list = make(form::list);
    while (!take(end)) {
      const node* a = expression();
      if (a == nullptr) return nullptr;
      list->items.push_back({"", a});
    }
    return list;
  }
  // new (place) int(a)
  const node* creation(const char* scope) {
    const node* place = expressions('_');
    const node* t = place == nullptr ? nullptr : type();
    const node* list = t == nullptr || !take("pi") ? nullptr : expressions('E');
    if (list == nullptr) return nullptr;
    node* n = row({{std::string(scope) + "new ", nullptr}});
    if (!place->items.empty()) n->items.insert(n->items.end(), {{"(", nullptr}, {"", place}, {") ", nullptr}});
    n->items.insert(n->items.end(), {{"", t}, {"(", nullptr}, {"", list}, {")", nullptr}});
    return n;
  }
  const node* member_of(const char* sign) {
    const node* a = expression();
    const node* name = a == nullptr ? nullptr : unresolved_name();
    return name == nullptr ? nullptr : row({{"", in_brackets(a)}, {sign, nullptr}, {"", name}});
  }
  const node* conversion() {
    const node* t = type();
    const node* a = t == nullptr ? nullptr : expression();
    return a == nullptr ? nullptr : row({{"(", nullptr}, {"", t}, {")", nullptr}, {"", in_brackets(a)}});
  }
  // 7forwardIT_E
  const node* unresolved_name() {
    const node* name = is_digit(peek()) ? source_name() : nullptr;
    return name != nullptr && peek() == 'I' ? with_arguments(name, false) : name;
  }

  const node* expression() {
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
      return n ? simple_word("{parm#" + std::to_string(*n + 1) + "}") : nullptr;
    }
    const operator_name* o = operator_code();
    if (o == nullptr || o->operands > 2 || o->code == "ix" || o->code == "pp" || o->code == "mm") return nullptr;
    const node* a = expression();
    if (a == nullptr) return nullptr;
    // For the address of a member, only its name.
    if (o->code == "ad" && a->kind == form::function && a->items[2].what != nullptr && a->items[2].what->is_simple &&
        a->items[2].what->items.size() > 1)
      a = a->items[2].what;
    if (o->operands == 1) return row({{std::string(o->text), nullptr}, {"", in_brackets(a)}});
    const node* b = expression();
    if (b == nullptr) return nullptr;
    std::vector<piece> items{{"", in_brackets(a)}, {std::string(o->text), nullptr}, {"", in_brackets(b)}};
    if (o->text == ">") {  // it would close the template's arguments
      items.insert(items.begin(), {"(", nullptr});
      items.push_back({")", nullptr});
    }
    return row(std::move(items));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool in_lambda_ = false;
  std::deque<node> nodes_;
  std::vector<const node*> substitutions_, parameters_;
};

}  // namespace

std::optional<tree> parse(std::string_view text) { return parser(text).run(); }

}  // namespace bankwise::cubin::names
