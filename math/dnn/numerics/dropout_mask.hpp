// Which elements a dropout keeps. cuDNN does not say how its own numbers are made; these are others, of a generator
// that hashes the seed, the number of the call and that of the element: each call keeps others, and the same again for
// the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random_numbers.hpp"
#include "math/common/elements.hpp"

namespace bankwise::dnn {

// In the memory of the device that the program gives.
struct dropout_state {
  std::uint64_t seed = 0, calls = 0;
};

inline std::uint64_t hashed(std::uint64_t x) { return mixed_bits(x + random_step); }

// What each of `count` elements is multiplied by: 0, or what makes up for those that are dropped. Goes on to the next
// call.
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
