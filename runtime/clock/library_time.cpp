// The time of a call of a library: the tiles that take the least time.
#include "runtime/clock/library_time.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/clock/clock_costs.hpp"

namespace bankwise::cuda {

namespace {

struct product_rate {
  std::uint32_t sm;
  double tf32, half, byte, twice;
};
constexpr product_rate product_rates[] = {
#define RATE(sm, tf32, half, byte, twice, source) {sm, tf32, half, byte, twice},
#include "runtime/clock/product_rates.def"
};

struct tile {
  double rows, columns;
};
constexpr tile tiles[] = {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}, {64, 32}, {32, 64}};
constexpr double most_parts = 16;  // along the depth
constexpr double least_depth = 64;
constexpr double bytes_of_sum = 4;

struct arithmetic_rate {
  double per_clock;  // multiplications of a multiprocessor
  double square;     // rows and columns of the smallest tile that does not wait for shared memory
  bool has_tensor = true;
};

arithmetic_rate rate_of(arithmetic in, const math_rates& r) {
  const double single = r.lanes * (r.lanes > 64 ? costs.wide_lanes_part : costs.lanes_part);
  const auto tensor = [&](double rate, const arithmetic_rate& otherwise) {
    return rate != 0 ? arithmetic_rate{rate * costs.tensor_part, 128} : otherwise;
  };
  const arithmetic_rate by_lanes{single, 64, false};
  switch (in) {
    case arithmetic::tf32: return tensor(r.tf32, by_lanes);
    case arithmetic::half: return tensor(r.half, {2 * single, 64, false});
    case arithmetic::byte: return tensor(r.byte, tensor(r.half, {4 * single, 64, false}));
    case arithmetic::twice: return tensor(r.twice, {r.doubles * costs.lanes_part, 64, false});
    case arithmetic::single: break;
  }
  return by_lanes;
}

// Returns the nanoseconds of what a call computes one after the other.
double time_of_chain(const library_work& w) {
  const auto each = [&] {
    switch (w.what) {
      case chained::vector: return costs.solved_value;
      case chained::left_side: return costs.solved_row;
      case chained::right_side: return costs.solved_column;
      case chained::cholesky: return costs.cholesky_column;
      case chained::with_pivots: return costs.pivoted_column;
      case chained::none: break;
    }
    return 0.0;
  };
  const bool is_twice = w.in == arithmetic::twice && (w.what == chained::left_side || w.what == chained::right_side);
  return w.links * each() * (is_twice ? 2 : 1);
}

library_time time_of_products(const library_work& w, const math_rates& r, const arithmetic_rate& rate) {
  library_time best{HUGE_VAL, 1};
  for (const tile& t : tiles) {
    const double count = w.products * std::ceil(w.rows / t.rows) * std::ceil(w.columns / t.columns);
    // A tile reads its rows and columns for each step of the depth, so small tiles wait for them.
    const double side = t.rows * t.columns / (t.rows + t.columns);
    const double part = std::min(1.0, side / (rate.square / 2));
    for (double parts = 1; parts <= most_parts && (parts == 1 || w.depth / parts >= least_depth); parts *= 2) {
      const double waves = std::ceil(count * parts / r.multiprocessors);
      const double clocks =
          waves * (t.rows * t.columns * std::ceil(w.depth / parts) / (rate.per_clock * part) + costs.tile_clocks);
      const double sums = parts == 1 ? 0 : w.products * w.rows * w.columns * bytes_of_sum * (parts + 1);
      const double time = clocks / r.clock + sums / r.l2 + (parts == 1 ? 0 : costs.least_kernel);
      if (time < best.nanoseconds) best = {time, count * parts / r.multiprocessors};
    }
  }
  return best;
}

}  // namespace

void set_product_rates(math_rates& r, std::uint32_t sm) {
  const auto* const at = std::find_if(std::begin(product_rates), std::end(product_rates),
                                      [&](const product_rate& p) { return p.sm == sm; });
  if (at == std::end(product_rates)) return;
  r.tf32 = at->tf32, r.half = at->half, r.byte = at->byte, r.twice = at->twice;
}

library_time library_time_of(const library_work& w, const math_rates& r) {
  const arithmetic_rate rate = rate_of(w.in, r);
  const double ideal = w.operations / (rate.per_clock * r.multiprocessors * r.clock);
  const double of_products = w.products * w.rows * w.columns * w.depth, of_chain = time_of_chain(w);
  if (of_products <= 0) return {ideal + of_chain, 1};
  library_time t = time_of_products(w, r, rate);
  // A call may compute several products of this shape, or only a triangle.
  t.nanoseconds = std::max(ideal, t.nanoseconds * w.operations / of_products) + of_chain;
  return t;
}

}  // namespace bankwise::cuda
