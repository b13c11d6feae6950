// Executes an instruction again with the operands of the next block, or with one changed operand.
//
//     const held_results here(o);           the results
//     { const moved_operands next(o, 0);    the operands of the next block on axis x
//       o.execute(); }
//     here.put_back();
#pragma once

#include <vector>

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

// The results of an instruction, saved so that they can be restored.
class held_results {
 public:
  explicit held_results(followed_operation& o) : o_(o) {
    for (const register_place p : o.flow.writes) o.read(p, rows_.emplace_back().at);
  }
  void put_back() const {
    for (std::size_t n = 0; n < rows_.size(); ++n) o_.write(o_.flow.writes[n], rows_[n].at);
  }

 private:
  followed_operation& o_;
  std::vector<lane_row> rows_;
};

// Changes operands while this object exists. Either sets all operands to the operands of the next block on an axis, or
// adds `by` to one operand.
class moved_operands {
 public:
  moved_operands(followed_operation& o, unsigned axis);
  moved_operands(followed_operation& o, register_place p, std::uint32_t lanes, std::uint32_t by) : o_(o) {
    move_by(p, lanes, by);
  }
  moved_operands(const moved_operands&) = delete;
  moved_operands& operator=(const moved_operands&) = delete;
  ~moved_operands();

 private:
  void move_by(register_place p, std::uint32_t lanes, std::uint32_t by);
  bool is_written(register_place p) const;

  followed_operation& o_;
  std::vector<register_place> places_;
  std::vector<lane_row> rows_;
};

// The blocks in which the operation's results do not change, because the operand stays in a range around its current
// value.
block_box where_same(followed_operation& o, register_place at, const register_form& f, const held_results& before,
                     const held_results& after, const std::vector<register_place>& results);

}  // namespace bankwise::emulate
