// From text to the tree of an expression: recursive descent with precedence climbing. On the first error `error_` is set and
// everything returns nothing of use.
//
//     parser.cpp              characters, nodes, the ways in
//     parser_operators.cpp    ?: and the operators
//     parser_names.cpp        numbers, names, functions
//     parser_casts.cpp        (int)x, *(float4*)&s[i], reinterpret_cast<float4*>(s)[i], FLOAT4(s[i])
//     parser_elements.cpp     tile[row][column], p[i].x, pointers
//     parser_lines.cpp        a line of a kernel: assignments and the accesses that it makes
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expression.hpp"
#include "expr/line.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::expr {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  for (const std::string_view n : names)
    if (n == name) return true;
  return false;
}

class parser {
 public:
  parser(std::string_view text, const scope& names, std::string_view what)
      : text_(text), names_(names), what_(what), end_(text_.size()) {}

  result<expression> run();
  result<line> run_line();

 private:
  // What a part of the text is worth.
  struct operand {
    enum class form : std::uint8_t { number, element, pointer, unknown } is = form::number;
    std::uint32_t node = 0;                   // the number or the address; of what is unknown: which of `unknowns_`
    element_type type = {};                   // of an element, or of what a pointer leads to
    std::uint64_t stride = 0;                 // bytes that a pointer's arithmetic and indices count
    std::vector<std::uint64_t> extents = {};  // indices that an array still takes
    std::uint32_t in_bytes = 0;               // a pointer, with + counting bytes: what &x + 4 is worth as a number
    std::size_t at = 0, end = 0;              // in the text
    std::string of = {};                      // the name of the array or member, for errors
    std::size_t dimensions = 0;
  };
  using form = operand::form;

  // --- parser.cpp
  void skip_blanks();
  bool eat(char c);
  bool eat(std::string_view word);  // marks such as "->"
  bool eat_word(std::string_view word);
  void expect(char c, const char* after);
  std::string_view name();
  char peek(std::size_t further = 0) const { return at_ + further < end_ ? text_[at_ + further] : '\0'; }
  std::string_view rest() const { return std::string_view(text_).substr(at_, end_ - at_); }
  operand fail(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  std::uint32_t push(node n);
  std::uint32_t constant(std::int64_t n, std::size_t at);
  operand number_of(std::uint32_t node, std::size_t at) { return {.node = node, .at = at, .end = at_}; }
  // Something of which the value is not known: an error unless a line may have it, where only its value matters.
  operand unknown(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  operand number_only(operand o);
  std::uint32_t index_of(const operand& o);  // a number for an address; an error if its value is not known
  result<expression> finish(std::uint32_t root, std::string_view part);
  static std::uint32_t column(std::size_t at) { return static_cast<std::uint32_t>(at + 1); }
  struct deeper {
    parser& p;
    explicit deeper(parser& q);
    deeper(const deeper&) = delete;
    deeper& operator=(const deeper&) = delete;
    ~deeper() { --p.depth_; }
  };

  // --- parser_operators.cpp
  operand ternary();
  operand binary(int least);
  operand unary();
  operand primary();
  operand add_to_pointer(const operand& pointer, const operand& n, bool minus, std::size_t at);

  // --- parser_names.cpp
  operand literal();
  operand named();
  operand function(std::size_t at, std::string_view word);
  operand call(op code, std::size_t at, std::size_t least, std::size_t most);
  std::vector<operand> arguments();
  operand dimension(std::size_t at, std::string_view word);
  operand known_name(std::size_t at, std::string_view word, bool& found);
  operand unknown_name(std::size_t at, std::string_view word);
  operand atomic_call(std::size_t at, std::string_view word);
  operand copy_call(std::size_t at);

  // --- parser_casts.cpp
  struct cast_type {
    std::optional<element_type> type;
    std::string name;
    int stars = 0;
  };
  std::optional<cast_type> type_name();  // a type at `at_`, or nothing and `at_` unchanged
  std::optional<element_type> find_named_type(std::string_view name) const;
  std::optional<operand> c_cast();
  operand named_cast(std::size_t at);
  operand size_of(std::size_t at);
  std::optional<operand> vector_macro(std::size_t at, std::string_view word);
  operand cast(const cast_type& to, operand o, std::size_t at);

  // --- parser_elements.cpp
  operand array_element(const array_decl& array, std::size_t at);
  operand laid_out(const array_decl& array, std::size_t at, std::string_view word);
  operand postfix(operand o);
  operand index(operand o, const operand& i, std::size_t index_at);
  operand member(operand o, std::size_t at);
  operand dereferenced(operand o, std::size_t at);
  operand address_of(operand o, std::size_t at);
  operand as_pointer(operand o);
  std::uint32_t access_node(const operand& o);  // the address with the width of its access

  // --- parser_lines.cpp
  void record(const operand& o, std::string_view op, atomic_use atomic = {});
  void statement();

  std::string text_;
  const scope& names_;
  std::string_view what_;
  std::size_t at_ = 0, end_;
  std::uint32_t depth_ = 0;
  std::vector<node> nodes_;
  std::optional<diagnostic> error_;
  bool in_line_ = false;
  struct seen_access {
    std::uint32_t root = 0;
    std::string op, text;
    atomic_use atomic;
  };
  std::vector<seen_access> accesses_;
  std::vector<diagnostic> unknowns_;
  std::optional<std::uint32_t> where_;
  std::optional<operand> value_;  // of a line that is an expression
  bool uses_block_index_ = false;
};

}  // namespace bankwise::expr
