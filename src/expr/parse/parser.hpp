// The parser's state: the position in the text, the nodes of the tree, and the first error. After an error, ignore the
// results of all parsing functions. The parser uses recursive descent and precedence climbing:
//
//     operators.hpp       ?: and the operators
//     named_values.hpp    numbers, names, functions
//     casts.hpp           (int)x, *(float4*)&s[i], reinterpret_cast<float4*>(s)[i], FLOAT4(s[i])
//     elements.hpp        tile[row][column], p[i].x, pointers
//     statements.cpp      a line of a kernel: if (...), assignments; accesses.hpp finds the accesses of a line
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/expression.hpp"
#include "expr/parse/expression_tree.hpp"
#include "expr/parse/line.hpp"

namespace bankwise::expr {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  for (const std::string_view n : names)
    if (n == name) return true;
  return false;
}

enum class operand_form : std::uint8_t { number, element, pointer, unknown };

struct operand {
  operand_form is = operand_form::number;
  // the node of the number or the address; an index in `unknowns` if the value is unknown
  std::uint32_t node = 0;
  element_type type = {};  // type of the element, or of the pointer's target
  // size of a step in bytes; an index, or a number that is added to a pointer, is multiplied by `stride`
  std::uint64_t stride = 0;
  std::vector<std::uint64_t> extents = {};  // extents of the indices that were not read yet
  // for a pointer that is used as a number: node of the pointer's value, to which + adds bytes
  std::uint32_t in_bytes = 0;
  std::size_t at = 0, end = 0;  // begin and end of the operand in the text
  std::string of = {};          // name of the array or member, for messages
  std::size_t dimensions = 0;
};

class parser {
 public:
  parser(std::string_view of, const scope& known, std::string_view called)
      : text(of), names(known), what(called), end(text.size()) {}

  void skip_blanks();
  bool eat(char c);
  bool eat(std::string_view word);  // skips punctuation such as "->"; eat_word() skips names
  bool eat_word(std::string_view word);
  void expect(char c, const char* message);
  std::string_view name();
  char peek(std::size_t further = 0) const { return here + further < end ? text[here + further] : '\0'; }
  std::string_view rest() const { return std::string_view(text).substr(here, end - here); }
  operand fail(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  std::uint32_t push(node n);
  std::uint32_t constant(std::int64_t n, std::size_t at);
  operand number_of(std::uint32_t of, std::size_t at) const { return {.node = of, .at = at, .end = here}; }
  // Returns an operand with an unknown value. This is an error unless the line accepts any value here.
  operand unknown(std::size_t at, std::size_t length, std::string message, std::string hint = {});
  result<expression> finish(std::uint32_t root) const;
  static std::uint32_t column(std::size_t at) { return static_cast<std::uint32_t>(at + 1); }

  // Counts one level of brackets and operators as long as it exists.
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
  bool in_line = false;
  std::vector<seen_access> accesses = {};
  std::vector<diagnostic> unknowns = {};
  std::optional<std::uint32_t> where = {};
  std::optional<operand> value = {};  // the value if the line is an expression
  bool uses_block_index = false;
};

}  // namespace bankwise::expr
