// A set of places (code_flow.hpp), and its subsets for lanes where a predicate holds or does not.
//
//     LDS R0, [R4]                 all: R0
//     @!P1 IADD3 R0, R3, UR5       all: R0; where !P1: none
//     @!P1 LDS R5, [R0]            executed where !P1: the loaded value is not in R0
//     ISETP.GE P1, PT, R3, R6      all: R0, and also where !P1: the new P1 is not known
//
// Errs towards too many places: an unknown guard has all of them.
#pragma once

#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class guarded_places {
 public:
  const places& all() const { return all_; }
  // The places in lanes where it holds; all places without a guard.
  const places& where(guard g) const;

  // Joins one of several paths. True if there are more than before.
  bool add(const guarded_places& other);
  // Adds to all lanes, whatever their guard is. True if there are more than before.
  bool add(const places& more);
  // In lanes where it holds, and in any other lanes except those where it does not.
  void put(guard g, const places& more);
  // In lanes where it holds these are gone: completely, if they are also missing where it does not hold.
  void remove(guard g, const places& gone);
  // If the guard holds, these lanes are gone; which lanes that is depends on the remaining ones.
  void hide(guard g, const places& gone);
  // If it does not matter whether it holds: the written lanes decide.
  void mark(guard g, const places& more);
  // These predicates are written.
  void forget(const places& written);
  // Only lanes where it holds continue here.
  void assume(guard g);

  friend bool operator==(const guarded_places&, const guarded_places&) = default;

 private:
  places* find(guard g);
  places& entry(guard g);
  void tidy();

  places all_;
  std::vector<std::pair<guard, places>> under_;  // in order; fewer than all
};

// On the edge from one instruction to another.
guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to);

}  // namespace bankwise::sass
