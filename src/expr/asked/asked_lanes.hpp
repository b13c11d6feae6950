// The lanes of a question: the active ones, and the byte that each wants. Questions about shared and about global
// memory use the same code.
//
//     --type float --where 't < 16' 't * 2'      lanes 0 to 15 at bytes 0, 8, 16, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bankwise/config.hpp"
#include "base/flag_values.hpp"
#include "expr/expression.hpp"
#include "expr/layout_change.hpp"
#include "expr/line.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

// The lanes before their operation is known.
struct placed_lanes {
  u32 mask = 0;
  u64 address[lanes_per_warp] = {};
  u32 outside = 0;  // lanes that index past the declared extents
};

struct asked_width {
  std::uint32_t unit = 1;    // bytes of the unit of EXPR
  std::uint32_t width = 4;   // bytes a lane
  std::uint32_t pieces = 1;  // number of accesses that a lane needs for one element of --type
  bool given = false;
};

// The limits of a memory.
struct asked_limits {
  u64 address = 0xffffffff;
  std::uint32_t width = 16;
};

class asked_lanes {
 public:
  // The three texts must outlive it. With `list_name`, `text` is a list of addresses.
  asked_lanes(const flag_values& flags, const std::string& text, const std::string& list_name, asked_limits most)
      : flags_(flags), text_(text), list_name_(list_name), most_(most) {}

  // Reads the line, the width and the layout, in this order, because each depends on the one before.
  result<done> read(expr::scope names_of_it);

  bool is_list() const { return !list_name_.empty(); }
  bool is_element() const { return line && !line->accesses.empty(); }
  // The operation of --op, otherwise of the line, otherwise ld.
  std::string op_name() const;
  // A width in the operation's name is the width of a lane; an error if a flag specifies another.
  result<done> take_width_of(const named_operation& op);
  // The active lanes of a warp, or of a half of its wave.
  result<u32> mask(const expr::scope& names_of_it) const;
  // The same in another warp, or for other lanes. An element of an array sets the width unless a flag did.
  result<placed_lanes> place(const expr::scope& names_of_it);
  // Evaluates another expression.
  result<placed_lanes> evaluate(const expr::expression& e, const expr::scope& names_of_it, u32 mask,
                                const std::string& e_text, asked_width& its_width) const;
  // The error for an address that is not a multiple of its width. `spelling` is the operation's name.
  diagnostic misaligned(u64 address, u32 lane, u32 width_bytes, const std::string& spelling) const;
  // The unit of the expression; empty if it is an element, or a list of addresses.
  std::string unit() const;
  // A note about lanes that index past the declared extents.
  static std::string bounds_note(u64 outside);

  expr::scope names;
  std::optional<expr::line> line;
  std::size_t chosen = 0;  // index among the line's accesses
  asked_width width;
  layout_change change;
  std::string layout_title;  // description of its padding and swizzle
  std::string title;         // description of the access without the layout; known after place()

 private:
  result<done> read_line();
  const expr::expression& address() const;

  const flag_values& flags_;
  const std::string& text_;
  const std::string& list_name_;
  asked_limits most_;
};

}  // namespace bankwise
