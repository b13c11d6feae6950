// A set of places (code_flow.hpp), with subsets for lanes in which a predicate is true or false.
//
//     LDS R0, [R4]                 all: R0
//     @!P1 IADD3 R0, R3, UR5       all: R0; where !P1: none
//     @!P1 LDS R5, [R0]            executed where !P1: R0 does not contain the loaded value
//     ISETP.GE P1, PT, R3, R6      all: R0, and also where !P1: the new P1 is not known
//
// A set may be too large, but never too small. If nothing is known about a guard, the guard's set contains all places.
#pragma once

#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class guarded_places {
 public:
  const places& all() const { return all_; }
  // Returns the places in lanes where the guard is true. For no_guard, returns the places in all lanes.
  const places& where(guard g) const;

  // Joins the states of two paths. Returns whether any place is new.
  bool add(const guarded_places& other);
  // Adds places in all lanes. Returns whether any place is new.
  bool add(const places& more);
  // Adds places in lanes where the guard is true. Other guards may be true in the same lanes, so their sets also get
  // the places.
  void put(guard g, const places& more);
  // Removes places in lanes where the guard is true. A place that is also missing in lanes where the guard is false is
  // removed from all lanes.
  void remove(guard g, const places& gone);
  // Removes places only from the set for lanes where the guard is true. The set for all lanes keeps these places.
  void hide(guard g, const places& gone);
  // Adds places to all sets except the sets of this guard and its opposite.
  void mark(guard g, const places& more);
  // Must be called when these predicates are written.
  void forget(const places& written);
  // Must be called if only the lanes in which the guard is true continue.
  void assume(guard g);

  friend bool operator==(const guarded_places&, const guarded_places&) = default;

 private:
  places* find(guard g);
  places& entry(guard g);
  void tidy();

  places all_;
  // sorted by guard; each set is smaller than the set for all lanes
  std::vector<std::pair<guard, places>> under_;
};

// Returns the places on the edge from instruction `from` to instruction `to`.
guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to);

}  // namespace bankwise::sass
