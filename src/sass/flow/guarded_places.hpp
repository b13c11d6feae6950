// A set of places (code_flow.hpp), and its subsets for lanes in which a predicate is true or false.
//
//     LDS R0, [R4]                 all: R0
//     @!P1 IADD3 R0, R3, UR5       all: R0; where !P1: none
//     @!P1 LDS R5, [R0]            executed where !P1: R0 does not contain the loaded value
//     ISETP.GE P1, PT, R3, R6      all: R0, and also where !P1: the new P1 is not known
//
// If something is unknown, a set is too large rather than too small. For a guard about which nothing is known, the set
// contains all places.
#pragma once

#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class guarded_places {
 public:
  const places& all() const { return all_; }
  // The places in lanes where the guard is true. With no_guard, the places in all lanes.
  const places& where(guard g) const;

  // Joins the states of two paths. Returns whether any place is new.
  bool add(const guarded_places& other);
  // Adds places in all lanes, regardless of guards. Returns whether any place is new.
  bool add(const places& more);
  // Adds places in lanes where the guard is true. Also adds the places for every other guard that may be true in these
  // lanes.
  void put(guard g, const places& more);
  // Removes places in lanes where the guard is true. If the places are also missing in lanes where the guard is false,
  // removes them from all lanes.
  void remove(guard g, const places& gone);
  // Removes places only from the set for lanes where the guard is true. The set for all lanes keeps them.
  void hide(guard g, const places& gone);
  // Adds places to the set for all lanes and to the sets of other guards, but not to the sets of this guard and its
  // opposite.
  void mark(guard g, const places& more);
  // Must be called when these predicates are written.
  void forget(const places& written);
  // Must be called if only lanes where the guard is true continue.
  void assume(guard g);

  friend bool operator==(const guarded_places&, const guarded_places&) = default;

 private:
  places* find(guard g);
  places& entry(guard g);
  void tidy();

  places all_;
  // sorted by guard; each set has fewer places than the set for all lanes
  std::vector<std::pair<guard, places>> under_;
};

// The places on the edge from instruction `from` to instruction `to`.
guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to);

}  // namespace bankwise::sass
