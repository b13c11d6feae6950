// A mangled name as a tree. Each part of the name is parsed once. If other parts refer to a part, it occurs several
// times in the tree.
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
// A piece of the output: a text or a node. Pieces are printed in order.
struct piece {
  std::string text;
  const node* what = nullptr;
};

enum class form : std::uint8_t {
  row,        // prints its items in order
  list,       // prints its items with commas between them
  arguments,  // a list in <>
  pack,       // the arguments of one template parameter
  parameter,  // a template parameter: items[0] is its argument
  expansion,  // prints its item once for each element of a pack
  suffixed,   // a type and its suffix: const, * or &
  function,   // items: return type or nothing, parameters; text: qualifiers
  array,      // items: extent, element
  member,     // items: class, type
};

struct node {
  form kind = form::row;
  std::vector<piece> items = {};
  std::string text = {};
  bool is_template = false;    // whether the name ends in template arguments
  std::size_t index = 0;       // index of a template parameter
  bool has_no_return = false;  // whether this is a constructor, destructor or conversion, which have no return type
  bool is_simple = false;      // whether this is a name, which needs no brackets in an expression
};

struct tree {
  std::deque<node> nodes;
  const node* root = nullptr;
};

inline constexpr unsigned most_depth = 192;

// Counts a level of recursion as long as it exists.
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
