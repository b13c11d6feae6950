// Random numbers that are the same on every machine. The distributions of the standard library do not guarantee this.
// The generator is SplitMix64 (Steele, Lea and Flood, 2014).
#pragma once

#include <cstdint>

namespace bankwise {

inline constexpr std::uint64_t random_step = 0x9e3779b97f4a7c15;

// Mixes the bits of `x`, so that every bit of the result depends on every bit of `x`. Different values of `x` have
// different results.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

class random_numbers {
 public:
  explicit constexpr random_numbers(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() { return mixed_bits(state_ += random_step); }
  constexpr std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace bankwise
