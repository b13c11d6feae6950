// A set of places (code_flow.hpp), and its subsets for lanes where a predicate holds or does not.
//
//     LDS R0, [R4]                 all: R0
//     @!P1 IADD3 R0, R3, UR5       all: R0; where !P1: none
//     @!P1 LDS R5, [R0]            executed where !P1: the loaded value is not in R0
//     ISETP.GE P1, PT, R3, R6      all: R0, and also where !P1: the new P1 is not known
//
// If in doubt, the sets are too large: a guard about which nothing is known has all places.
#pragma once

#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class guarded_places {
 public:
  const places& all() const { return all_; }
  // The places in lanes where the guard is true; without a guard, in all lanes.
  const places& where(guard g) const;

  // Joins the states of two paths. True if this adds something new.
  bool add(const guarded_places& other);
  // Adds places in all lanes, whatever their guard is. True if this adds something new.
  bool add(const places& more);
  // Adds places in lanes where the guard is true, and for every other guard that such lanes may have.
  void put(guard g, const places& more);
  // Removes places in lanes where the guard is true; if they are also missing where it is false, removes them from all
  // lanes.
  void remove(guard g, const places& gone);
  // Removes places only from the set for lanes where the guard is true. The set for all lanes keeps them.
  void hide(guard g, const places& gone);
  // Adds places to the set for all lanes and to those of other guards, but not to the sets of this guard and its
  // opposite.
  void mark(guard g, const places& more);
  // To be called when these predicates are written.
  void forget(const places& written);
  // Only lanes where the guard is true continue here.
  void assume(guard g);

  friend bool operator==(const guarded_places&, const guarded_places&) = default;

 private:
  places* find(guard g);
  places& entry(guard g);
  void tidy();

  places all_;
  std::vector<std::pair<guard, places>> under_;  // in order; each set is smaller than that of all lanes
};

// The places on the edge from one instruction to another.
guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to);

}  // namespace bankwise::sass
