// The lanes of a question: the active lanes, and the bytes that each lane accesses. Questions about shared memory and
// about global memory use this code.
//
//     --type float --where 't < 16' 't * 2'      lanes 0 to 15 at bytes 0, 8, 16, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bankwise/config.hpp"
#include "base/flag_values.hpp"
#include "expr/layout_change.hpp"
#include "expr/names/operation_names.hpp"
#include "expr/parse/expression.hpp"
#include "expr/parse/line.hpp"

namespace bankwise {

// The lanes and their addresses, before the operation is known.
struct placed_lanes {
  u32 mask = 0;
  u64 address[lanes_per_warp] = {};
  u32 outside = 0;  // number of lanes whose index is past a declared extent
};

struct asked_width {
  std::uint32_t unit = 1;  // size of the unit in which EXPR counts
  std::uint32_t width = 4;
  std::uint32_t pieces = 1;  // number of accesses that a lane needs for one element of --type
  bool given = false;
};

// The limits of addresses and widths in a memory.
struct asked_limits {
  u64 address = 0xffffffff;
  std::uint32_t width = 16;
};

class asked_lanes {
 public:
  // The object keeps the three references, so they must remain valid. If `list_name` is not empty, `text` is a list of
  // addresses.
  asked_lanes(const flag_values& flags, const std::string& text, const std::string& list_name, asked_limits most)
      : flags_(flags), text_(text), list_name_(list_name), most_(most) {}

  // Reads the line, the width and the layout, in this order. Each step needs the result of the step before.
  result<done> read(expr::scope names_of_it);

  bool is_list() const { return !list_name_.empty(); }
  bool is_element() const { return line && !line->accesses.empty(); }
  // Returns the name of the operation: the value of --op, or the operation of the line, or "ld".
  std::string op_name() const;
  // Uses the width in the operation's name, if the name contains a width. Fails if a flag specifies a different width.
  result<done> take_width_of(const named_operation& op);
  result<u32> mask(const expr::scope& names_of_it) const;
  // Computes the lanes and addresses of one warp. `names_of_it` contains the names that expressions can use for this
  // warp. If no width is given, the array's element determines the width.
  result<placed_lanes> place(const expr::scope& names_of_it);
  // Evaluates another expression of the question for the lanes of a mask.
  result<placed_lanes> evaluate(const expr::expression& e, const expr::scope& names_of_it, u32 mask,
                                const std::string& e_text, asked_width& its_width) const;
  // Returns the error for an address that is not a multiple of the access width. `spelling` is the name of the
  // operation.
  diagnostic misaligned(u64 address, u32 lane, u32 width_bytes, const std::string& spelling) const;
  // Returns the unit of the expression. Returns an empty text if the question is an element or a list of addresses.
  std::string unit() const;
  // Returns a note about lanes whose index is past a declared extent.
  static std::string bounds_note(u64 outside);

  expr::scope names;
  std::optional<expr::line> line;
  std::size_t chosen = 0;  // index of the chosen access in the line
  asked_width width;
  layout_change change;
  std::string layout_title;  // description of the padding and the swizzle
  std::string title;         // description of the access without the layout; set by place()

 private:
  result<done> read_line();
  const expr::expression& address() const;

  const flag_values& flags_;
  const std::string& text_;
  const std::string& list_name_;
  asked_limits most_;
};

}  // namespace bankwise
