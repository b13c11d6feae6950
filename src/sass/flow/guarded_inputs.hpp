// The inputs on which each place (code_flow.hpp) depends. There are inputs for all lanes, and inputs for lanes where a
// predicate is true or false. Each place has a byte with one bit for each input. guarded_places.hpp does the same for
// one input.
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

// The effect of an instruction on the places that it writes. A byte has one bit for each input.
struct guarded_write {
  struct place {
    std::uint16_t number = 0;
    bool keeps = false;  // whether the old value may remain
    std::uint8_t mask = 0xff;
  };
  std::span<const place> places;
  guard under = no_guard;
  bool kills = false;         // whether the old values are lost in all lanes
  std::uint8_t value = 0;     // the inputs of the new values
  std::uint8_t by_guard = 0;  // the inputs that decide which lanes are written
};

class guarded_inputs {
 public:
  using row = std::vector<std::uint8_t>;  // a byte for each place

  explicit guarded_inputs(std::size_t count = 0) : all_(count) {}

  const row& all() const { return all_; }
  // Returns the inputs in lanes where the guard is true. For no_guard, returns the inputs in all lanes.
  const row& where(guard g) const;

  // Joins the states of two paths. Returns whether any input is new.
  bool add(const guarded_inputs& other);
  // Adds inputs in all lanes. Returns whether any input is new.
  bool add(const row& more);
  void write(const guarded_write& w);
  // Must be called when the predicate of this guard is written.
  void forget(guard either) {
    std::erase_if(under_, [&](const auto& one) { return one.first == either || one.first == opposite(either); });
  }
  // Must be called if only the lanes in which the guard is true continue.
  void assume(guard g);

 private:
  row& entry(guard g);

  row all_;
  // sorted by guard; if a guard has no entry, the inputs of all lanes apply
  std::vector<std::pair<guard, row>> under_;
};

}  // namespace bankwise::sass
