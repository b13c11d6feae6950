// Parses mangled names of the Itanium C++ ABI, in one pass without backtracking.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cubin/names/name_tree.hpp"
#include "cubin/names/name_words.hpp"

namespace bankwise::cubin::names {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

class name_parser {
 public:
  explicit name_parser(std::string_view text) : text_(text) {}

  std::optional<tree> run();

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

  // Reads a number such as "12". Returns nothing if there is no number, or if the number is larger than any number in a
  // name.
  std::optional<std::size_t> decimal();
  // Reads a sequence number: "_" is 0, and "0_" is 1.
  std::optional<std::size_t> sequence();

  // Reads suffixes such as .constprop.1. They are printed as in the C++ library.
  const node* clone(const node* n);

  // --- Names

  // Reads a name with its type. `with_result` is false for a function that contains something local. The return type of
  // such a function is not printed.
  const node* encoding(bool with_result);
  const node* special();

  // `own`: whether this is the name of an encoding. If so, the type of the encoding refers to the template arguments of
  // this name.
  const node* name(std::string* qualifiers, bool own);
  const node* qualified(const node* in, const node* inner);
  const node* with_arguments(const node* of, bool own);
  std::string cv_qualifiers();
  // Qualifiers are encoded in the order r V K. They are printed from the innermost to the outermost.
  static std::string reversed(const std::string& qualifiers);
  const node* nested_name(std::string* qualifiers, bool own);

  // Parses a local name, such as Z main E lambda.
  const node* local_name(std::string* qualifiers, bool own);
  bool discriminator();
  const node* source_name();

  // Returns the last identifier of a name: c for a::b<int>::c<int>, allocator for `Sa`.
  const node* last_name(const node* n);
  const node* constructor(const char* sign, const node* of);
  const node* unqualified_name(const node* of);
  const operator_name* operator_code();
  const node* operator_function();
  const node* closure();

  // --- Types

  // Reads all remaining types. A single "v" means no parameters.
  const node* parameter_list();
  const node* substitution();
  const node* parameter_of(std::size_t n);
  const node* template_parameter();
  const node* template_arguments(bool own);
  const node* template_argument();
  const node* decltype_of();
  const node* type();

  // Reads a class whose mangled name begins with S: a substitution (S0_), or a class of std (St..., Ss).
  const node* named_type();
  const node* other_type();
  const node* suffixed(const char* text);
  const node* function_type(const std::string& qualifiers);
  const node* array_type();

  // --- Expressions

  // Parses a literal, such as Li5E.
  const node* literal();

  const node* in_brackets(const node* n) { return n->is_simple ? n : row({{"(", nullptr}, {"", n}, {")", nullptr}}); }

  // Parses the scope of an unresolved name, such as 4cuda3std9is_signedIT_EE.
  const node* unresolved_scope();

  // Parses a call or a conversion, such as (a)(b, c), (*this).a, (int)(a).
  const node* call();
  const node* expressions(char end);
  // Parses a new-expression, such as new (place) int(a).
  const node* creation(const char* scope);
  const node* member_of(const char* sign);
  const node* conversion();
  // Parses an unresolved name, such as 7forwardIT_E.
  const node* unresolved_name();
  const node* expression();

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool in_lambda_ = false;
  std::deque<node> nodes_;
  std::vector<const node*> substitutions_, parameters_;
};

// Parses a name. `text` is the part after _Z. Returns nothing if the text is not a name, is nested too deeply, or
// contains something that no known kernel name contains.
std::optional<tree> parse(std::string_view text);

}  // namespace bankwise::cubin::names
