// Reads the kernels of small_kernel.hpp: it replaces macros first, then parses by descent without backtracking.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "small_kernel.hpp"
#include "source/tokens.hpp"

namespace bankwise::fuzz {

namespace {

using node = kernel_node;
using node_pointer = std::unique_ptr<kernel_node>;

struct word {
  std::string text;
  source::token::kind is = source::token::kind::mark;
  std::uint32_t line = 1;
};

struct macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  std::vector<word> body;
};

// The words of a source after its macros.
class preprocessor {
 public:
  std::vector<word> run(std::string_view source) {
    const auto tokens = source::tokens_of(source);
    std::vector<word> plain;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].of_directive) {
        plain.push_back({std::string(tokens[i].spelled), tokens[i].is, tokens[i].line});
        continue;
      }
      std::size_t end = i + 1;
      while (end < tokens.size() && tokens[end].of_directive && tokens[end].spelled != "#") ++end;
      if (end > i + 2 && tokens[i + 1].spelled == "define") define(tokens, i + 2, end);
      i = end - 1;
    }
    std::vector<word> out;
    expand(plain, out, {});
    return out;
  }

 private:
  void define(const std::vector<source::token>& t, std::size_t name, std::size_t end) {
    macro m;
    std::size_t i = name + 1;
    if (i < end && t[i].spelled == "(" && t[i].at == t[name].end()) {
      m.takes_arguments = true;
      for (++i; i < end && t[i].spelled != ")"; ++i)
        if (t[i].spelled != ",") m.parameters.emplace_back(t[i].spelled);
      ++i;
    }
    for (; i < end; ++i) m.body.push_back({std::string(t[i].spelled), t[i].is, t[i].line});
    macros_[std::string(t[name].spelled)] = std::move(m);
  }

  void expand(const std::vector<word>& in, std::vector<word>& out, const std::set<std::string>& inside) {
    for (std::size_t i = 0; i < in.size() && out.size() < 20'000; ++i) {
      const auto at = macros_.find(in[i].text);
      if (at == macros_.end() || in[i].is != source::token::kind::word || inside.count(in[i].text) != 0) {
        out.push_back(in[i]);
        continue;
      }
      const macro& m = at->second;
      std::vector<std::vector<word>> given;
      std::size_t last = i;
      if (m.takes_arguments) {
        if (i + 1 >= in.size() || in[i + 1].text != "(") {
          out.push_back(in[i]);
          continue;
        }
        given.emplace_back();
        int depth = 0;
        for (last = i + 1; last < in.size(); ++last) {
          const std::string& s = in[last].text;
          if (s == "(" && depth++ == 0) continue;
          if (s == ")" && --depth == 0) break;
          if (s == "," && depth == 1)
            given.emplace_back();
          else
            given.back().push_back(in[last]);
        }
      }
      std::vector<word> body;
      for (const word& w : m.body) {
        const auto p = std::find(m.parameters.begin(), m.parameters.end(), w.text);
        const auto n = static_cast<std::size_t>(p - m.parameters.begin());
        if (p != m.parameters.end() && n < given.size())
          body.insert(body.end(), given[n].begin(), given[n].end());
        else
          body.push_back(w);
      }
      for (word& w : body) w.line = in[i].line;
      auto deeper = inside;
      deeper.insert(in[i].text);
      expand(body, out, deeper);
      i = last;
    }
  }

  std::map<std::string, macro> macros_;
};

class reader {
 public:
  reader(std::string_view text, const std::map<std::string, std::int64_t>& numbers) : numbers_(numbers) {
    t_ = preprocessor().run(text);
    for (int i = 0; i < 4; ++i) t_.push_back({"", source::token::kind::mark, 0});
    constants_ = numbers;
    for (const auto& [name, bytes, is_signed] :
         {std::tuple("int", 4, true), std::tuple("unsigned", 4, false), std::tuple("char", 1, true),
          std::tuple("bool", 1, false), std::tuple("short", 2, true), std::tuple("size_t", 8, false),
          std::tuple("long", 8, true), std::tuple("uint32_t", 4, false), std::tuple("int32_t", 4, true),
          std::tuple("uint8_t", 1, false), std::tuple("uint64_t", 8, false), std::tuple("uint16_t", 2, false)})
      types_[name] = make({kernel_type::integer,
                           static_cast<std::uint64_t>(bytes),
                           is_signed,
                           nullptr,
                           0,
                           {},
                           static_cast<std::uint64_t>(bytes)});
    types_["float"] = make({kernel_type::real, 4, true, nullptr, 0, {}, 4});
    types_["double"] = make({kernel_type::real, 8, true, nullptr, 0, {}, 8});
    types_["void"] = make({kernel_type::none, 1, false, nullptr, 0, {}, 1});
    for (const char* base : {"float", "int", "unsigned"})
      for (const std::uint64_t n : {2, 4}) {
        kernel_type v{kernel_type::record, 4 * n, false, nullptr, 0, {}, 4 * n};
        for (std::uint64_t k = 0; k < n; ++k) v.fields.push_back({std::string(1, "xyzw"[k]), types_[base], 4 * k});
        types_[(base == std::string("unsigned") ? "uint" : base) + std::to_string(n)] = make(v);
      }
  }

  kernel_source run() {
    while (wrong_.empty() && !t_[at_].text.empty()) top();
    s_.wrong = wrong_;
    s_.numbers = numbers_;
    return std::move(s_);
  }

 private:
  const kernel_type* make(kernel_type t) {
    s_.types.push_back(std::move(t));
    return &s_.types.back();
  }
  const kernel_type* pointer_to(const kernel_type* t) { return make({kernel_type::pointer, 8, false, t, 0, {}, 8}); }
  const kernel_type* array_of(const kernel_type* t, std::uint64_t n) {
    return make({kernel_type::array, t->bytes * n, false, t, n, {}, t->alignment});
  }

  bool is(std::string_view s) const { return t_[at_].text == s; }
  bool take(std::string_view s) {
    if (!is(s)) return false;
    ++at_;
    return true;
  }
  void want(std::string_view s) {
    if (!take(s)) stop("expected " + std::string(s) + ", there is " + t_[at_].text);
  }
  void stop(const std::string& why) {
    if (wrong_.empty()) wrong_ = "line " + std::to_string(t_[at_].line) + ": " + why;
    at_ = t_.size() - 4;
  }
  std::string name() {
    if (t_[at_].is != source::token::kind::word) stop("expected a name, there is " + t_[at_].text);
    return t_[at_++].text;
  }
  node_pointer make_node(node::kind_of k, std::string text = {}) {
    auto n = std::make_unique<node>();
    n->is = k;
    n->text = std::move(text);
    n->line = t_[at_].line;
    return n;
  }

  static bool is_qualifier(const std::string& s) {
    static const std::set<std::string> all = {"const",        "constexpr",  "volatile",        "static",    "inline",
                                              "__restrict__", "__device__", "__forceinline__", "__host__",  "extern",
                                              "__global__",   "__shared__", "alignas",         "__align__", "signed"};
    return all.count(s) != 0;
  }
  bool begins_type(std::size_t at) const {
    const std::string& s = t_[at].text;
    return is_qualifier(s) || s == "auto" || s == "struct" || s == "union" || types_.count(s) != 0;
  }

  struct specifiers {
    const kernel_type* type = nullptr;
    bool is_shared = false, is_auto = false, is_const = false, is_kernel = false;
  };
  specifiers read_specifiers() {
    specifiers s;
    while (wrong_.empty()) {
      const std::string& w = t_[at_].text;
      if (w == "__align__" || w == "alignas") {
        ++at_;
        want("(");
        while (!is(")") && !t_[at_].text.empty()) ++at_;
        want(")");
      } else if (is_qualifier(w)) {
        s.is_shared |= w == "__shared__";
        s.is_const |= w == "const" || w == "constexpr";
        s.is_kernel |= w == "__global__";
        ++at_;
      } else if (w == "auto") {
        s.is_auto = true;
        ++at_;
      } else if ((w == "struct" || w == "union") && s.type == nullptr) {
        s.type = read_record();
      } else if (const auto t = types_.find(w); t != types_.end()) {
        if (s.type == nullptr || s.type == types_["unsigned"])
          s.type = s.type == nullptr ? t->second
                   : w == "char"     ? types_["uint8_t"]
                   : w == "long"     ? types_["size_t"]
                                     : s.type;
        ++at_;
      } else {
        break;
      }
    }
    if (s.type == nullptr && !s.is_auto) stop("expected a type, there is " + t_[at_].text);
    if (s.type == nullptr) s.type = types_["int"];
    return s;
  }

  const kernel_type* read_record() {
    const bool is_union = name() == "union";
    std::string called;
    while (is_qualifier(t_[at_].text)) read_alignment();
    if (!is("{")) called = name();
    if (!take("{")) {
      const auto known = types_.find(called);
      if (known == types_.end()) stop("an unknown struct");
      return known == types_.end() ? types_["int"] : known->second;
    }
    kernel_type r{kernel_type::record, 0, false, nullptr, 0, {}, 1};
    while (!is("}") && wrong_.empty()) {
      const specifiers s = read_specifiers();
      do {
        const declarator d = read_declarator(s.type);
        const std::uint64_t at =
            is_union ? 0 : (r.bytes + d.type->alignment - 1) / d.type->alignment * d.type->alignment;
        r.fields.push_back({d.name, d.type, at});
        r.alignment = std::max(r.alignment, d.type->alignment);
        r.bytes = std::max(r.bytes, at + d.type->bytes);
      } while (take(","));
      want(";");
    }
    want("}");
    r.bytes = (r.bytes + r.alignment - 1) / r.alignment * r.alignment;
    const kernel_type* made = make(r);
    if (!called.empty()) types_[called] = made;
    return made;
  }
  void read_alignment() {
    ++at_;
    if (take("(")) {
      while (!is(")") && !t_[at_].text.empty()) ++at_;
      want(")");
    }
  }

  struct declarator {
    std::string name;
    const kernel_type* type = nullptr;
    bool is_reference = false;
  };
  declarator read_declarator(const kernel_type* base) {
    declarator d;
    d.type = base;
    const auto stars = [&] {
      while (is("*") || is("&") || is_qualifier(t_[at_].text)) {
        if (is("*")) d.type = pointer_to(d.type);
        d.is_reference |= is("&");
        ++at_;
      }
    };
    stars();
    bool points = false, refers = false;
    if (is("(") && (t_[at_ + 1].text == "*" || t_[at_ + 1].text == "&")) {
      ++at_;
      points = is("*");
      refers = !points;
      ++at_;
      d.name = name();
      want(")");
    } else if (t_[at_].is == source::token::kind::word && !is_qualifier(t_[at_].text)) {
      d.name = name();
    }
    d.type = read_extents(d.type);
    if (points) d.type = pointer_to(d.type);
    d.is_reference |= refers;
    return d;
  }
  const kernel_type* read_extents(const kernel_type* element) {
    std::vector<std::uint64_t> extents;
    while (take("[")) {
      if (take("]")) {
        extents.push_back(0);
        continue;
      }
      const auto n = fold(*expression());
      want("]");
      if (!n || *n < 1 || *n > 1 << 16) {
        stop("an extent is not a number");
        return element;
      }
      extents.push_back(static_cast<std::uint64_t>(*n));
    }
    const kernel_type* t = element;
    while (!extents.empty()) {
      t = array_of(t, extents.back());
      extents.pop_back();
    }
    return t;
  }

  // The value of a constant expression.
  std::optional<std::int64_t> fold(const node& n) const {
    switch (n.is) {
      case node::number: return static_cast<std::int64_t>(n.value);
      case node::name: {
        const auto at = constants_.find(n.text);
        return at == constants_.end() ? std::nullopt : std::optional(at->second);
      }
      case node::size_of: return n.type == nullptr ? std::nullopt : std::optional<std::int64_t>(n.type->bytes);
      case node::cast: return fold(*n.kids[0]);
      case node::prefix: {
        const auto a = fold(*n.kids[0]);
        return a && n.text == "-" ? std::optional(-*a) : n.text == "+" ? a : std::nullopt;
      }
      case node::conditional: {
        const auto a = fold(*n.kids[0]);
        return a ? fold(*n.kids[*a != 0 ? 1 : 2]) : std::nullopt;
      }
      case node::binary: {
        const auto a = fold(*n.kids[0]), b = fold(*n.kids[1]);
        if (!a || !b) return std::nullopt;
        const std::string& s = n.text;
        if (s == "+") return *a + *b;
        if (s == "-") return *a - *b;
        if (s == "*") return *a * *b;
        if (s == "/" && *b != 0) return *a / *b;
        if (s == "%" && *b != 0) return *a % *b;
        if (s == "<<" && *b >= 0 && *b < 32) return *a << *b;
        if (s == ">>" && *b >= 0 && *b < 32) return *a >> *b;
        if (s == "|") return *a | *b;
        if (s == "&") return *a & *b;
        if (s == "^") return *a ^ *b;
        return std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  void top() {
    if (take(";")) return;
    if (is("template")) {
      ++at_;
      want("<");
      while (!take(">") && wrong_.empty()) {
        ++at_;   // its type
        name();  // a name without a value is an error where it is used
        take(",");
      }
    }
    if (is("typedef") || is("using") || is("static_assert")) {
      declares_name();
      return;
    }
    const specifiers s = read_specifiers();
    if (take(";")) return;
    std::size_t before = at_;
    declarator d = read_declarator(s.type);
    if (is("(")) {
      read_function(s, d);
      return;
    }
    at_ = before;
    s_.constants.push_back(declarations(s));
  }

  void declares_name() {
    if (is("static_assert")) {
      while (!take(";") && wrong_.empty()) ++at_;
    } else if (take("using")) {
      const std::string n = name();
      want("=");
      const specifiers s = read_specifiers();
      types_[n] = read_declarator(s.type).type;
      want(";");
    } else {
      want("typedef");
      const specifiers s = read_specifiers();
      const declarator d = read_declarator(s.type);
      types_[d.name] = d.type;
      want(";");
    }
  }

  void read_function(const specifiers& s, const declarator& d) {
    kernel_function f;
    f.name = d.name;
    f.is_kernel = s.is_kernel;
    want("(");
    while (!take(")") && wrong_.empty()) {
      const specifiers one = read_specifiers();
      declarator p = read_declarator(one.type);
      // An array among the parameters is a pointer.
      if (p.type->is == kernel_type::array && !p.is_reference) p.type = pointer_to(p.type->of);
      f.parameters.push_back({p.name, p.type, p.is_reference});
      take(",");
    }
    const auto outer = constants_;
    for (const auto& p : f.parameters) constants_.erase(p.name);
    f.body = block();
    constants_ = outer;
    const std::string n = f.name;
    s_.functions[n] = std::move(f);
  }

  node_pointer block() {
    auto b = make_node(node::block);
    const auto outer = constants_;
    want("{");
    while (!take("}") && wrong_.empty()) {
      if (t_[at_].text.empty()) stop("a block does not end");
      b->kids.push_back(statement());
      if (b->kids.back()->has_barrier) b->has_barrier = true;
    }
    constants_ = outer;
    return b;
  }

  node_pointer statement() {
    if (is("{")) return block();
    if (take(";")) return make_node(node::nothing);
    if (is("typedef") || is("using") || is("static_assert")) {
      declares_name();
      return make_node(node::nothing);
    }
    if (take("if")) {
      auto n = make_node(node::branch);
      want("(");
      n->kids.push_back(expression());
      want(")");
      n->kids.push_back(statement());
      if (take("else")) n->kids.push_back(statement());
      for (const auto& k : n->kids) n->has_barrier |= k->has_barrier;
      return n;
    }
    if (is("#")) ++at_;
    if (take("for")) {
      auto n = make_node(node::loop);
      const auto outer = constants_;
      want("(");
      n->kids.push_back(is(";") ? (++at_, make_node(node::nothing)) : simple());
      n->kids.push_back(is(";") ? nullptr : expression());
      want(";");
      n->kids.push_back(is(")") ? nullptr : expression());
      want(")");
      n->kids.push_back(statement());
      n->has_barrier = n->kids[3]->has_barrier;
      constants_ = outer;
      return n;
    }
    if (take("while")) {
      auto n = make_node(node::repeat);
      want("(");
      n->kids.push_back(expression());
      want(")");
      n->kids.push_back(statement());
      n->has_barrier = n->kids[1]->has_barrier;
      return n;
    }
    if (is("return") || is("break") || is("continue")) {
      const std::string w = name();
      auto n = make_node(w == "return" ? node::give : w == "break" ? node::leave : node::next);
      if (w == "return" && !is(";")) n->kids.push_back(expression());
      want(";");
      return n;
    }
    if (take("asm")) return assembly();
    return simple();
  }

  // asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(a));
  node_pointer assembly() {
    take("volatile");
    want("(");
    auto n = make_node(node::assembly, t_[at_++].text);
    while (!take(")") && wrong_.empty()) {
      if (take(":") || take(",") || take("::")) continue;
      if (t_[at_].is != source::token::kind::text) {
        stop("asm is not understood");
        break;
      }
      if (t_[at_].text == "\"memory\"") {
        ++at_;
        continue;
      }
      ++at_;
      want("(");
      n->kids.push_back(expression());
      want(")");
    }
    want(";");
    return n;
  }

  // A declaration or an expression, with its semicolon.
  node_pointer simple() {
    if (begins_type(at_)) {
      const specifiers s = read_specifiers();
      if (take(";")) return make_node(node::nothing);
      return declarations(s);
    }
    auto n = make_node(node::expression);
    n->kids.push_back(expression());
    const kernel_node& e = *n->kids[0];
    n->has_barrier = e.is == node::call && e.kids[0]->text == "__syncthreads";
    want(";");
    return n;
  }

  node_pointer declarations(const specifiers& s) {
    auto all = make_node(node::declare);
    do {
      auto n = make_node(node::declare);
      const declarator d = read_declarator(s.type);
      n->text = d.name;
      n->type = d.type;
      n->is_reference = d.is_reference;
      n->is_shared = s.is_shared;
      n->is_auto = s.is_auto;
      constants_.erase(d.name);
      if (take("=")) {
        n->kids.push_back(is("{") ? braces() : assignment());
      } else if (is("{")) {
        n->kids.push_back(braces());
      } else if (take("(")) {
        n->kids.push_back(expression());
        want(")");
      }
      if (s.is_const && n->kids.size() == 1 && d.type->is == kernel_type::integer)
        if (const auto v = fold(*n->kids[0])) constants_[d.name] = *v;
      all->kids.push_back(std::move(n));
    } while (take(","));
    want(";");
    return all;
  }
  node_pointer braces() {
    want("{");
    auto n = make_node(node::block);
    n->is_list = true;
    while (!take("}") && wrong_.empty()) {
      n->kids.push_back(assignment());
      take(",");
    }
    return n->kids.size() == 1 ? std::move(n->kids[0]) : std::move(n);
  }

  node_pointer expression() {
    auto a = assignment();
    while (is(",") && wrong_.empty()) {
      auto n = make_node(node::binary, ",");
      ++at_;
      n->kids.push_back(std::move(a));
      n->kids.push_back(assignment());
      a = std::move(n);
    }
    return a;
  }
  node_pointer assignment() {
    if (++depth_ > 200) stop("too deep");
    auto a = conditional();
    static const std::set<std::string> signs = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    if (signs.count(t_[at_].text) != 0) {
      auto n = make_node(node::assign, t_[at_++].text);
      n->kids.push_back(std::move(a));
      n->kids.push_back(assignment());
      a = std::move(n);
    }
    --depth_;
    return a;
  }
  node_pointer conditional() {
    auto a = binary(1);
    if (!is("?")) return a;
    auto n = make_node(node::conditional);
    ++at_;
    n->kids.push_back(std::move(a));
    n->kids.push_back(expression());
    want(":");
    n->kids.push_back(assignment());
    return n;
  }
  static int precedence(const std::string& s) {
    static const std::map<std::string, int> all = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
    const auto at = all.find(s);
    return at == all.end() ? 0 : at->second;
  }
  node_pointer binary(int least) {
    auto a = unary();
    while (const int p = precedence(t_[at_].text)) {
      if (p < least) break;
      auto n = make_node(node::binary, t_[at_++].text);
      n->kids.push_back(std::move(a));
      n->kids.push_back(binary(p + 1));
      a = std::move(n);
    }
    return a;
  }
  const kernel_type* type_name() {
    const specifiers s = read_specifiers();
    return read_declarator(s.type).type;
  }
  node_pointer unary() {
    if (++depth_ > 200) stop("too deep");
    const auto up = [&](node_pointer n) {
      --depth_;
      return n;
    };
    for (const char* sign : {"-", "+", "!", "~", "*", "&", "++", "--"})
      if (is(sign)) {
        auto n = make_node(node::prefix, sign);
        ++at_;
        n->kids.push_back(unary());
        return up(std::move(n));
      }
    if (is("sizeof")) {
      auto n = make_node(node::size_of);
      ++at_;
      if (is("(") && begins_type(at_ + 1)) {
        ++at_;
        n->type = type_name();
        want(")");
      } else {
        n->kids.push_back(unary());
      }
      return up(std::move(n));
    }
    if (is("(") && begins_type(at_ + 1)) {
      auto n = make_node(node::cast);
      ++at_;
      n->type = type_name();
      want(")");
      n->kids.push_back(unary());
      return up(std::move(n));
    }
    return up(postfix(primary()));
  }
  node_pointer primary() {
    if (is("reinterpret_cast") || is("static_cast") || is("const_cast")) {
      auto n = make_node(node::cast);
      ++at_;
      want("<");
      n->type = type_name();
      n->is_reference = t_[at_ - 1].text == "&";
      want(">");
      want("(");
      n->kids.push_back(expression());
      want(")");
      return n;
    }
    if (is("[")) return lambda();
    if (take("(")) {
      auto n = expression();
      want(")");
      return n;
    }
    if (t_[at_].is == source::token::kind::number) {
      auto n = make_node(node::number, t_[at_].text);
      const std::string& s = t_[at_].text;
      const bool is_real = s.find('.') != std::string::npos || (s.back() == 'f' && s.rfind("0x", 0) != 0);
      n->type = is_real ? types_[s.back() == 'f' ? "float" : "double"]
                        : types_[s.find_first_of("uU") != std::string::npos ? "unsigned" : "int"];
      n->value = is_real ? std::strtod(s.c_str(), nullptr) : static_cast<double>(std::strtoll(s.c_str(), nullptr, 0));
      ++at_;
      return n;
    }
    if (types_.count(t_[at_].text) != 0 && (t_[at_ + 1].text == "(" || t_[at_ + 1].text == "{")) {
      auto n = make_node(node::cast);
      n->type = types_[t_[at_].text];
      ++at_;
      const std::string close = take("(") ? ")" : (want("{"), "}");
      n->kids.push_back(expression());
      want(close);
      return n;
    }
    auto n = make_node(node::name);
    n->text = name();
    return n;
  }
  node_pointer lambda() {
    auto n = make_node(node::lambda);
    while (!take("]") && wrong_.empty()) ++at_;
    if (take("("))
      while (!take(")") && wrong_.empty()) {
        const specifiers s = read_specifiers();
        const declarator d = read_declarator(s.type);
        n->names.push_back(d.name);
        n->types.push_back(d.type);
        n->references.push_back(d.is_reference);
        take(",");
      }
    const auto outer = constants_;
    for (const std::string& p : n->names) constants_.erase(p);
    n->kids.push_back(block());
    constants_ = outer;
    return n;
  }
  node_pointer postfix(node_pointer a) {
    while (wrong_.empty()) {
      node_pointer n;
      if (is("[")) {
        n = make_node(node::index);
        ++at_;
        n->kids.push_back(std::move(a));
        n->kids.push_back(expression());
        want("]");
      } else if (is("<") && a->is == node::name && s_.functions.count(a->text) != 0) {
        while (!take(">") && wrong_.empty()) ++at_;
        continue;
      } else if (is("(")) {
        n = make_node(node::call);
        ++at_;
        n->kids.push_back(std::move(a));
        while (!take(")") && wrong_.empty()) {
          n->kids.push_back(assignment());
          take(",");
        }
      } else if (is(".") || is("->")) {
        n = make_node(is(".") ? node::member : node::arrow);
        ++at_;
        n->text = name();
        n->kids.push_back(std::move(a));
      } else if (is("++") || is("--")) {
        n = make_node(node::postfix, t_[at_++].text);
        n->kids.push_back(std::move(a));
      } else {
        break;
      }
      a = std::move(n);
    }
    return a;
  }

  const std::map<std::string, std::int64_t>& numbers_;
  std::vector<word> t_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string wrong_;
  std::map<std::string, const kernel_type*> types_;
  std::map<std::string, std::int64_t> constants_;
  kernel_source s_;
};

}  // namespace

kernel_source read_kernel(std::string_view text, const std::map<std::string, std::int64_t>& numbers) {
  return reader(text, numbers).run();
}

}  // namespace bankwise::fuzz
