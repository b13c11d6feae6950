// The state of parsing the lane language: the position in the text, the nodes of the tree, and the first error. After
// an error, all parsing functions return unusable values. It is recursive descent with precedence climbing:
//
//     operators.hpp       ?: and the operators
//     named_values.hpp    numbers, names, functions
//     casts.hpp           (int)x, *(float4*)&s[i], reinterpret_cast<float4*>(s)[i], FLOAT4(s[i])
//     elements.hpp        tile[row][column], p[i].x, pointers
//     statements.cpp      a line of a kernel: if (...), assignments; the accesses that it makes: accesses.hpp
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

enum class operand_form : std::uint8_t { number, element, pointer, unknown };

// The meaning of a part of the text.
struct operand {
  operand_form is = operand_form::number;
  std::uint32_t node = 0;                   // the number or the address; for an unknown value, the index in `unknowns`
  element_type type = {};                   // of an element, or of a pointer's target
  std::uint64_t stride = 0;                 // bytes of the unit in which a pointer's arithmetic and indices count
  std::vector<std::uint64_t> extents = {};  // extents of the indices that an array still needs
  std::uint32_t in_bytes = 0;               // a pointer whose + counts bytes: the value of &x + 4 as a number
  std::size_t at = 0, end = 0;              // in the text
  std::string of = {};                      // the name of the array or member, for errors
  std::size_t dimensions = 0;
};

class parser {
 public:
  parser(std::string_view of, const scope& known, std::string_view called)
      : text(of), names(known), what(called), end(text.size()) {}

  void skip_blanks();
  bool eat(char c);
  bool eat(std::string_view word);  // punctuation such as "->"
  bool eat_word(std::string_view word);
  void expect(char c, const char* after);
  std::string_view name();
  char peek(std::size_t further = 0) const { return here + further < end ? text[here + further] : '\0'; }
  std::string_view rest() const { return std::string_view(text).substr(here, end - here); }
  operand fail(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  std::uint32_t push(node n);
  std::uint32_t constant(std::int64_t n, std::size_t at);
  operand number_of(std::uint32_t of, std::size_t at) const { return {.node = of, .at = at, .end = here}; }
  // An unknown value: an error, unless the line only needs a value of any kind.
  operand unknown(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  result<expression> finish(std::uint32_t root) const;
  static std::uint32_t column(std::size_t at) { return static_cast<std::uint32_t>(at + 1); }

  // Counts one more level of brackets and operators during its lifetime.
  struct deeper {
    parser& p;
    explicit deeper(parser& q);
    deeper(const deeper&) = delete;
    deeper& operator=(const deeper&) = delete;
    ~deeper() { --p.depth; }
  };
  struct seen_access {
    std::uint32_t root = 0;
    std::string op, text;
    atomic_use atomic;
  };

  std::string text;
  const scope& names;
  std::string_view what;
  std::size_t here = 0, end;
  std::uint32_t depth = 0;
  std::vector<node> nodes = {};
  std::optional<diagnostic> error = {};
  bool in_line = false;  // a line of a kernel, which loads and stores
  std::vector<seen_access> accesses = {};
  std::vector<diagnostic> unknowns = {};
  std::optional<std::uint32_t> where = {};
  std::optional<operand> value = {};  // the value, if the line is an expression
  bool uses_block_index = false;
};

}  // namespace bankwise::expr
