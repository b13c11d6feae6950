#include "profile/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace bankwise {

namespace {

__extension__ using wide = unsigned __int128;

constexpr double most_counted = 0x1p48;  // largest count in a report

double squared(double x) { return x * x; }

// Returns the sum of the squared distances of n numbers from their mean. `sum` is the sum of the n numbers, and
// `squares` is the sum of their squares.
double scatter(std::uint64_t n, wide sum, wide squares) {
  wide above = 0, mean_part = 0;
  if (!__builtin_mul_overflow(squares, wide{n}, &above) && !__builtin_mul_overflow(sum, sum, &mean_part))
    return above <= mean_part ? 0 : static_cast<double>(above - mean_part) / static_cast<double>(n);
  return std::max(0.0, static_cast<double>(squares) - squared(static_cast<double>(sum)) / static_cast<double>(n));
}

}  // namespace

double students_t(std::uint64_t degrees) {
  // The first values are in the table. The Cornish-Fisher series around the normal distribution computes all other
  // values.
  constexpr double table[] = {6.3138, 2.9200, 2.3534, 2.1318, 2.0150, 1.9432, 1.8946, 1.8595};
  if (degrees == 0) degrees = 1;
  if (degrees <= std::size(table)) return table[degrees - 1];
  constexpr double z = 1.6448536;
  const auto n = static_cast<double>(degrees);
  return z + z * (squared(z) + 1) / (4 * n) + z * (squared(z) * (5 * squared(z) + 16) + 3) / (96 * n * n);
}

estimate estimate_of(const block_strata& strata, const class_sums& sums) {
  std::uint64_t all = 0, reached = 0, ran = 0, degrees = 0;
  wide whole = 0, sum = 0, squares = 0;
  double rest = 0, inside = 0, most = 0;
  for (unsigned c = 0; c < emulate::most_block_classes; ++c) {
    const std::uint64_t size = strata.sizes[c], n = strata.ran[c];
    all += size;
    if (n == 0) continue;
    reached += size;
    ran += n;
    degrees += n - 1;
    const auto it = sums.find(c);
    if (it == sums.end()) continue;
    sum += it->second.sum;
    squares += it->second.squares;
    inside += scatter(n, it->second.sum, it->second.squares);
    most += static_cast<double>(it->second.most) * static_cast<double>(size);
    whole += wide{it->second.sum} * size / n;
    rest += static_cast<double>(static_cast<std::uint64_t>(wide{it->second.sum} * size % n)) / static_cast<double>(n);
  }
  estimate e;
  if (ran == 0) return e;
  const auto counted = static_cast<std::uint64_t>(sum);
  if (ran == all) return {counted, {counted, counted}};
  const double raise = static_cast<double>(all) / static_cast<double>(reached);
  const double about = (static_cast<double>(whole) + rest) * raise;
  if (about >= most_counted) {
    e.value = static_cast<std::uint64_t>(most_counted);
  } else {  // computed with integers, so that the result is exact if all blocks are equal
    const wide raised = reached == all ? whole * reached : whole * all;
    const auto left = static_cast<double>(static_cast<std::uint64_t>(raised % reached));
    e.value = static_cast<std::uint64_t>(raised / reached) +
              static_cast<std::uint64_t>(std::llround(left / static_cast<double>(reached) + rest * raise));
  }

  const double mean = static_cast<double>(e.value) / static_cast<double>(all);
  const double apart = ran < 2 ? 0 : scatter(ran, sum, squares) / static_cast<double>(ran - 1);
  // The variance within classes. If it is unknown, the variance over all classes is used instead.
  const double apart_inside = degrees == 0 ? apart : inside / static_cast<double>(degrees);
  const std::uint64_t freedom = degrees != 0 ? degrees : ran - 1;
  double variance = 0;
  for (unsigned c = 0; c < emulate::most_block_classes; ++c) {
    const auto size = static_cast<double>(strata.sizes[c]), n = static_cast<double>(strata.ran[c]);
    if (strata.sizes[c] == 0 || strata.ran[c] == strata.sizes[c]) continue;
    if (strata.ran[c] == 0) {
      variance += squared(size) * (apart + squared(mean));
      continue;
    }
    const auto it = sums.find(c);
    const double here = it == sums.end() ? 0 : scatter(strata.ran[c], it->second.sum, it->second.squares);
    variance += squared(size) * (1 - n / size) * (here + apart_inside) / squared(n);
  }
  // In nine of ten cases, the kinds of blocks that are missing in the sample make up at most this share of all blocks.
  const double unseen = std::log(10.0) / static_cast<double>(ran);
  const double left_out = 1 - static_cast<double>(ran) / static_cast<double>(all);
  const double half = std::sqrt(squared(students_t(freedom)) * variance + squared(unseen * most * raise) * left_out);
  const auto value = static_cast<double>(e.value);
  e.within.low =
      std::min(e.value, std::max(counted, static_cast<std::uint64_t>(std::max(0.0, std::floor(value - half)))));
  e.within.high = std::max(e.value, static_cast<std::uint64_t>(std::min(most_counted, std::ceil(value + half))));
  return e;
}

}  // namespace bankwise
