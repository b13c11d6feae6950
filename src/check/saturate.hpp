// Adds and subtracts numbers of a saved report. These numbers can have any value, so results are limited to the range
// of their type.
#pragma once

#include <cstdint>

namespace bankwise::check {

constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a + b < a ? ~std::uint64_t{0} : a + b; }
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
}
// Returns a - b, limited to the range of the type.
constexpr std::int64_t minus(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = ~std::uint64_t{0} >> 1;
  const std::uint64_t distance = a > b ? a - b : b - a;
  const auto cut = static_cast<std::int64_t>(distance > most ? most : distance);
  return a >= b ? cut : -cut;
}

}  // namespace bankwise::check
