#include "tune/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace bankwise::tune {

const choice_error& measured_choice_error() {
  static constexpr choice_error error{
#define CHOICE_ERROR(name, value) .name = value,
#define CHOICE_LIST(name, value)
#define CHOICE_GPU(name)
#include "tune/choice_error.def"
  };
  return error;
}

const std::vector<std::string>& measured_gpus() {
  static const std::vector<std::string> gpus{
#define CHOICE_ERROR(name, value)
#define CHOICE_LIST(name, value)
#define CHOICE_GPU(name) name,
#include "tune/choice_error.def"
  };
  return gpus;
}

bool has_measured_error(std::string_view gpu) {
  const auto& measured = measured_gpus();
  return std::any_of(measured.begin(), measured.end(),
                     [&](const std::string& name) { return gpu.find(name) != std::string_view::npos; });
}

namespace {

#define CHOICE_ERROR(name, value)
#define CHOICE_LIST(name, value) constexpr double name = value;
#define CHOICE_GPU(name)
#include "tune/choice_error.def"
constexpr double reach = 6;  // of the integral, in standard deviations
constexpr int steps = 240;
constexpr double rounding = 1e-6;  // of the integral

// The probability that a normal error is above x standard deviations.
double above(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

// Returns how many of the times, of which the first is the shortest, contain the best.
std::size_t short_list_of(std::span<const double> times, double told_apart) {
  const double width = std::log(told_apart) / normal_quantile / std::numbers::sqrt2;
  if (!(width > 0) || !(times[0] > 0)) return 1;
  std::vector<double> logs;  // distances from the shortest time, in standard deviations
  for (const double t : times) logs.push_back(std::log(t / times[0]) / width);
  constexpr double step = 2 * reach / steps;
  const auto point = [](int k) { return -reach + (k + 0.5) * step; };
  // For each possible true time of the best: the probability that all configurations are slower.
  std::vector<double> all_above(steps, 1);
  for (int k = 0; k < steps; ++k)
    for (const double other : logs) {
      if (other > 2 * reach) break;
      all_above[static_cast<std::size_t>(k)] *= above(point(k) - other);
    }
  double total = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (int k = 0; k < steps; ++k) {
      const double z = point(k) - logs[i];
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      total += density * all_above[static_cast<std::size_t>(k)] / above(z) * step;
    }
    if (total >= share - rounding) return i + 1;
  }
  return logs.size();
}

}  // namespace

double short_list_share() { return share; }

ranking rank(std::span<const predicted_interval> times, const choice_error& error) {
  ranking r;
  r.order.resize(times.size());
  std::iota(r.order.begin(), r.order.end(), std::size_t{0});
  std::stable_sort(r.order.begin(), r.order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a].time < times[b].time; });
  if (times.empty()) return r;
  const predicted_interval& best = times[r.order[0]];
  std::vector<double> sorted;
  for (const std::size_t i : r.order) {
    const predicted_interval& t = times[i];
    r.like_best.push_back(i == r.order[0] || (t.time < best.time * error.told_apart && t.low <= best.high));
    sorted.push_back(t.time);
  }
  r.short_list = short_list_of(sorted, error.told_apart);
  return r;
}

}  // namespace bankwise::tune
