#include "math/random/sobol.hpp"

namespace bankwise::math {

namespace {

// A row for each dimension: the degree of the polynomial, its coefficients without the first and the last, and initial
// numbers. The initial numbers are odd, and there are as many as the degree.
struct row {
  std::uint8_t degree, coefficients;
  std::array<std::uint8_t, 7> first;
};
constexpr row rows[sobol_dimensions - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

}  // namespace

std::array<std::uint64_t, 64> sobol_directions(unsigned dimension, unsigned bits) {
  std::array<std::uint64_t, 64> v{};
  if (dimension == 0) {
    for (unsigned i = 0; i < bits; ++i) v[i] = std::uint64_t{1} << (bits - 1 - i);
    return v;
  }
  const row& r = rows[dimension - 1];
  for (unsigned i = 0; i < bits; ++i) {
    if (i < r.degree) {
      v[i] = std::uint64_t{r.first[i]} << (bits - 1 - i);
      continue;
    }
    v[i] = v[i - r.degree] ^ v[i - r.degree] >> r.degree;
    for (unsigned k = 1; k < r.degree; ++k)
      if ((r.coefficients >> (r.degree - 1 - k) & 1) != 0) v[i] ^= v[i - k];
  }
  return v;
}

}  // namespace bankwise::math
