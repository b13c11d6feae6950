// The dependences of places (code_flow.hpp), also separately for lanes where a predicate holds or does not:
// guarded_places.hpp for several inputs at once, with a byte for each place. An instruction changes the bytes of the
// places that it writes.
//
//     S2R R0, SR_CTAID.X           all: R0 blockIdx
//     @!P1 LDG R0, [R4.64]         all: R0 blockIdx, data; where !P1: R0 data; where P1: R0 blockIdx
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

// The effect of an instruction on the places that it writes. Inputs are bits.
struct guarded_write {
  struct place {
    std::uint16_t number = 0;
    bool keeps = false;        // the old value may stay
    std::uint8_t mask = 0xff;  // of inputs that it can depend on
  };
  std::span<const place> places;
  guard under = no_guard;
  bool kills = false;         // the old values are gone in all lanes
  std::uint8_t value = 0;     // the new values depend on these
  std::uint8_t by_guard = 0;  // and which lanes are written, on these
};

class guarded_inputs {
 public:
  using row = std::vector<std::uint8_t>;  // by number of the place

  explicit guarded_inputs(std::size_t count = 0) : all_(count) {}

  const row& all() const { return all_; }
  // In lanes where it holds; all lanes without a guard.
  const row& where(guard g) const;

  // Joins one of several paths. True if there are more than before.
  bool add(const guarded_inputs& other);
  // Adds to all lanes, whatever their guard is. True if there are more than before.
  bool add(const row& more);
  void write(const guarded_write& w);
  // This predicate is written.
  void forget(guard either) {
    std::erase_if(under_, [&](const auto& one) { return one.first == either || one.first == opposite(either); });
  }
  // Only lanes where it holds continue here.
  void assume(guard g);

 private:
  row& entry(guard g);

  row all_;
  std::vector<std::pair<guard, row>> under_;  // in order; for a missing place, the same as in all lanes
};

}  // namespace bankwise::sass
