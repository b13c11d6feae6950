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
    std::uint8_t mask = 0xff;  // inputs on which it can depend
  };
  std::span<const place> places;
  guard under = no_guard;
  bool kills = false;         // the old values are lost in all lanes
  std::uint8_t value = 0;     // inputs on which the new values depend
  std::uint8_t by_guard = 0;  // inputs that decide which lanes are written
};

class guarded_inputs {
 public:
  using row = std::vector<std::uint8_t>;  // a byte for each place

  explicit guarded_inputs(std::size_t count = 0) : all_(count) {}

  const row& all() const { return all_; }
  // The inputs in lanes where the guard is true; without a guard, in all lanes.
  const row& where(guard g) const;

  // Joins the states of two paths. True if this adds something new.
  bool add(const guarded_inputs& other);
  // Adds inputs in all lanes, whatever their guard is. True if this adds something new.
  bool add(const row& more);
  void write(const guarded_write& w);
  // To be called when this predicate is written.
  void forget(guard either) {
    std::erase_if(under_, [&](const auto& one) { return one.first == either || one.first == opposite(either); });
  }
  // Only lanes where the guard is true continue here.
  void assume(guard g);

 private:
  row& entry(guard g);

  row all_;
  std::vector<std::pair<guard, row>> under_;  // in order; a guard without an entry has those of all lanes
};

}  // namespace bankwise::sass
