// Finds the declaration and the uses of a shared array in a source, and the functions that get the array as an
// argument. This reader uses tokens and brackets instead of a C++ parser. Only the array's name with all indices is an
// access.
//
//     __shared__ float tile[T][T + 1];     declaration: tile, two extents, the block around it
//     tile[ty][tx] = in[i];                use: two indices, the lines of the statement
//     f(tile);                             function: f, if its body is in this source
//
// The index in all() identifies a token. For a missing token, the index is all().size().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/tokens.hpp"
#include "source/union_members.hpp"

namespace bankwise::source {

// Returns the text of the tokens from `first` to `last`.
std::string_view text_of(std::string_view source, const std::vector<token>& t, std::size_t first, std::size_t last);
std::string spelled(std::string_view s);
// Returns the value of a number, such as 32 for "32u".
std::optional<std::uint64_t> plain_number(std::string_view s);

// A use of the array: the name, and the indices after the name.
struct use {
  std::size_t name = 0;                                    // token of the name
  std::vector<std::pair<std::size_t, std::size_t>> index;  // first and last token of each index
  std::size_t end = 0;                                     // token after the use
  std::uint32_t first_line = 0, last_line = 0;             // first and last line of the enclosing statement
};

using token_range = std::pair<std::size_t, std::size_t>;  // first and last token

struct function {
  std::size_t name = 0;
  std::vector<token_range> parameters;
  std::size_t open = 0, close = 0;  // the opening and closing brackets of the body
};

struct declaration {
  std::size_t word = 0;  // token __shared__
  std::size_t name = 0;
  std::vector<std::pair<std::size_t, std::size_t>> extent;
  std::size_t stop = 0;             // the semicolon after the declaration
  std::size_t open = 0, close = 0;  // the enclosing block; if there is none, close is the number of tokens
  std::string type;
  std::string_view variable;  // for a member of a union: the variable, such as u in u.tile
};

class reader {
 public:
  using tokens = std::vector<token>;
  using kind = token::kind;

  explicit reader(std::string_view source);

  std::string_view source() const { return source_; }
  const tokens& all() const { return t_; }
  std::string text(std::size_t first, std::size_t last) const { return spelled(text_of(source_, t_, first, last)); }

  // Returns the innermost bracket that is open before the token, or that the token closes. Returns `outside` if there
  // is no such bracket.
  static constexpr std::size_t outside = ~std::size_t{0};
  std::size_t around(std::size_t token) const { return around_[token]; }

  // Whether the token is the name in a declaration of a variable or parameter.
  bool is_declared_at(std::size_t token) const;

  // Returns the token at which the scope of a declaration at `token` ends.
  std::size_t scope_end(std::size_t token) const;

  // Whether a block or a parameter list declares the name.
  bool is_declared_in_block(std::string_view name) const;

  // Whether a template of the source has a parameter with this name.
  bool is_template_parameter(std::string_view name) const;

  std::vector<declaration> declarations(std::string_view name) const;

  std::vector<use> uses(const declaration& d) const { return uses(t_[d.name].spelled, d.stop, d.close, d.variable); }

  // `variable` is the union that has the array as a member.
  std::vector<use> uses(std::string_view name, std::size_t from, std::size_t to, std::string_view variable = {}) const;

  // Returns the parts between commas in the brackets of a call or of a parameter list.
  std::vector<token_range> list_in(std::size_t open) const;

  // Returns the opening bracket after a function's name and template arguments. If there is none, returns the number of
  // tokens.
  std::size_t bracket_after(std::size_t name) const;

  // Returns all functions with this name and this number of parameters. Returns an empty list if there are no such
  // functions, or if the name also means something else.
  std::vector<function> functions(std::string_view name, std::size_t parameters) const;

  // Finds the innermost bracket of the statement that is open at token `at`, and the name directly before the bracket.
  // Returns the tokens of the name and of the bracket. The name is 0 if the bracket is not a parenthesis after a name.
  // Both are 0 if no bracket is open.
  std::pair<std::size_t, std::size_t> call_around(std::size_t at) const;

  // Returns the name of the function to which a bracket belongs, as in "f(", "f<T, 4>(". Returns 0 if the bracket does
  // not belong to a function.
  std::size_t callee(std::size_t open) const;

  // Returns the index of the argument that consists of exactly these tokens, in the call at `open`. Returns nothing if
  // there is no such argument.
  std::optional<std::size_t> argument_at(std::size_t open, std::size_t first, std::size_t last) const;

  // Whether the use is in f(&a[i]). The body of f must be in this source, and must use the parameter only as *p and
  // p[0].
  bool only_dereferenced(const use& u, std::size_t open) const;

 private:
  declaration declaration_of(const union_member& m) const;

  // Reads a declaration such as "__shared__ __align__(16) const float a[4], tile[T][T + 1];", if the name is one of its
  // arrays.
  std::optional<declaration> read_declaration(std::size_t word, std::string_view name) const;

  std::string_view source_;
  tokens t_;
  std::vector<std::size_t> around_;
};

}  // namespace bankwise::source
