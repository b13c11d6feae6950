// A mangled name as a tree. Each part is parsed once; a part to which others refer occurs several times in the tree.
//
//     _Z1fPKi -> function( list( suffixed("*", suffixed(" const", row("int"))) ), row("f") )
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace bankwise::cubin::names {

struct node;
// A piece of the output, in order: a text, or a node.
struct piece {
  std::string text;
  const node* what = nullptr;
};

enum class form : std::uint8_t {
  row,        // its pieces, in order
  list,       // its pieces with commas between
  arguments,  // the same in <>
  pack,       // the arguments of one parameter
  parameter,  // of a template: items[0] is its argument
  expansion,  // its item, once for each element of a pack
  suffixed,   // a type and its suffix: const, *, &
  function,   // items: return type or nothing, parameters; text: qualifiers
  array,      // items: extent, element
  member,     // items: class, type
};

struct node {
  form kind = form::row;
  std::vector<piece> items = {};
  std::string text = {};
  bool is_template = false;    // a name that ends in template arguments
  std::size_t index = 0;       // of a parameter
  bool has_no_return = false;  // a constructor, destructor or conversion: its type has no return type
  bool is_simple = false;      // a name, which has no brackets in an expression
};

struct tree {
  std::deque<node> nodes;
  const node* root = nullptr;
};

inline constexpr unsigned most_depth = 192;

// One level of recursion.
class level {
 public:
  explicit level(unsigned& depth) : depth_(depth) { ++depth_; }
  ~level() { --depth_; }
  level(const level&) = delete;
  level& operator=(const level&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace bankwise::cubin::names
