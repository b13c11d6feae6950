// Chooses the elements that a dropout keeps. cuDNN's random numbers are not documented. Here, each number is a hash of
// the seed, the number of the call and the index of the element. So every run keeps the same elements.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random_numbers.hpp"
#include "math/common/elements.hpp"

namespace bankwise::dnn {

// The state of a dropout. It is in device memory that the program passes.
struct dropout_state {
  std::uint64_t seed = 0, calls = 0;
};

inline std::uint64_t hashed(std::uint64_t x) { return mixed_bits(x + random_step); }

// Returns a factor for each of `count` elements: 0 for a dropped element. Other factors are more than 1, to compensate
// for the dropped elements. Advances the state to the next call.
inline std::vector<float> next_mask(std::byte* states, float probability, std::size_t count) {
  auto state = math::load<dropout_state>(states);
  const std::uint64_t call = hashed(state.seed ^ hashed(state.calls));
  ++state.calls;
  math::store(states, state);
  std::vector<float> factors(count);
  const float kept = probability < 1 ? 1 / (1 - probability) : 0;
  for (std::size_t i = 0; i < count; ++i)
    factors[i] = static_cast<double>(hashed(call + i) >> 11) * 0x1p-53 < static_cast<double>(probability) ? 0 : kept;
  return factors;
}

}  // namespace bankwise::dnn
