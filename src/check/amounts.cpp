#include "check/amounts.hpp"

#include <algorithm>
#include <iterator>

#include "check/saturate.hpp"

namespace bankwise::check {

namespace {

constexpr interval unlimited = {0, ~std::uint64_t{0}};

void add_number(amount& to, std::uint64_t is, const interval& within, std::uint64_t apart, std::uint64_t launches) {
  to.is = plus(to.is, times(is, launches));
  to.within.low = plus(to.within.low, times(within.low, launches));
  to.within.high = plus(to.within.high, times(within.high, launches));
  to.apart = plus(to.apart, times(apart, launches));
}

// Returns the distance from a number to the farther end of its range.
std::uint64_t farther(const interval& i, std::uint64_t is) {
  return std::max(is - std::min(is, i.low), i.high - std::min(i.high, is));
}

template <class Site>
void add_row(amounts& to, const measure_row& row, std::uint64_t is, const launch_report& l, const Site& s,
             std::uint64_t launches) {
  const interval* const known = row.in(s.within);
  const interval within = known != nullptr ? *known : l.scaled ? unlimited : interval{is, is};
  // Without an interval, nothing is known about the error of a count of shared memory.
  add_number(to[row.is], is, within, known != nullptr || row.is_of_sectors() ? farther(within, is) : 0, launches);
}

// Sets the range of each excess that has no interval of its own, from the ranges of its measure and the ideal.
void find_ranges_of_excess(amounts& a) {
  const auto less = [](std::uint64_t x, std::uint64_t y) { return x - std::min(x, y); };
  for (const measure_row& row : measure_rows)
    if (row.excess != measure::none && !row_of(row.excess).is_sampled()) {
      const interval is = a[row.is].within, ideal = a[row.ideal].within;
      a[row.excess].within = {less(is.low, ideal.high), less(is.high, ideal.low)};
    }
}

}  // namespace

amounts& amounts::operator+=(const amounts& more) {
  for (const measure_row& row : measure_rows) {
    const amount& a = more[row.is];
    add_number((*this)[row.is], a.is, a.within, a.apart, 1);
  }
  return *this;
}

void amounts::add(const launch_report& l, const site& s, std::uint64_t launches) {
  for (const measure_row& row : measure_rows)
    if (row.record == measure_record::shared) add_row(*this, row, row.of(s), l, s, launches);
}

void amounts::add(const launch_report& l, const global_site& s, measure_record as, std::uint64_t launches) {
  for (const measure_row& row : measure_rows)
    if (row.record == as) add_row(*this, row, row.of_global->value(s), l, s, launches);
}

void amounts::clear(measure_record of) {
  for (const measure_row& row : measure_rows)
    if (row.record == of) (*this)[row.is] = {};
}

bool operator==(const amounts& a, const amounts& b) {
  return std::all_of(std::begin(measure_rows), std::end(measure_rows), [&](const measure_row& row) {
    return row.diff == measure_diff::never || a[row.is].is == b[row.is].is;
  });
}

amounts amounts_of(const launch_report& l, const std::function<bool(const instruction_place&)>& is_wanted) {
  amounts sum;
  for (const site& s : l.sites)
    if (!is_wanted || is_wanted(s)) sum.add(l, s);
  for (const global_site& s : l.global_sites)
    if (!is_wanted || is_wanted(s)) sum.add(l, s);
  for (const measure_row& row : measure_rows)
    if (row.record == measure_record::time) {
      const std::uint64_t is = row.of(l.time);
      sum[row.is] = {is, {is, is}};
    } else if (!is_wanted && row.is_sampled() &&
               (row.record == measure_record::shared || row.record == measure_record::global)) {
      amount& a = sum[row.is];
      const interval* const known = row.in(row.record == measure_record::shared ? l.within : l.global_within);
      a.within = known != nullptr ? *known : l.scaled ? unlimited : interval{a.is, a.is};
      a.apart = farther(a.within, a.is);
    }
  if (l.scaled) find_ranges_of_excess(sum);
  return sum;
}

double ratio_of(std::uint64_t is, std::uint64_t ideal) {
  return ideal == 0 ? 1 : static_cast<double>(is) / static_cast<double>(ideal);
}

}  // namespace bankwise::check
