// A set of places (code_flow.hpp), and of those the fewer that count in lanes where a predicate holds, or does not.
//
//     LDS R0, [R4]                 all: R0
//     @!P1 IADD3 R0, R3, UR5       all: R0; where !P1: none
//     @!P1 LDS R5, [R0]            executed where !P1: what was loaded is not in R0
//     ISETP.GE P1, PT, R3, R6      all: R0, and so where !P1: of the new P1 nothing is known
//
// Always too many rather than too few: a guard of which nothing is known has all of them.
#pragma once

#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

class guarded_places {
 public:
  const places& all() const { return all_; }
  // Those in lanes where it holds; no guard: all.
  const places& where(guard g) const;

  // One of several ways here. True: there are more than before.
  bool add(const guarded_places& other);
  // To all lanes, whatever they are guarded by. True: there are more than before.
  bool add(const places& more);
  // In lanes where it holds, and in any other but those where it does not.
  void put(guard g, const places& more);
  // In lanes where it holds these are gone: for good, as far as they are not there where it does not hold.
  void remove(guard g, const places& gone);
  // If the guard holds, these lanes are gone; which lanes that is depends on the remaining ones.
  void hide(guard g, const places& gone);
  // As far as nobody asks whether it holds: which lanes were written tells that.
  void mark(guard g, const places& more);
  // These predicates are written.
  void forget(const places& written);
  // Only lanes where it holds come here.
  void assume(guard g);

  friend bool operator==(const guarded_places&, const guarded_places&) = default;

 private:
  places* find(guard g);
  places& entry(guard g);
  void tidy();

  places all_;
  std::vector<std::pair<guard, places>> under_;  // in order; fewer than all
};

// On the way from one instruction to another.
guarded_places on_way(const code_flow& code, const guarded_places& p, std::uint32_t from, std::uint32_t to);

}  // namespace bankwise::sass
