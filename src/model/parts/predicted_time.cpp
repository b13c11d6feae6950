#include "model/parts/predicted_time.hpp"

#include <algorithm>

namespace bankwise {

namespace {

constexpr std::size_t most_lines = 32;

std::uint64_t without_conflicts(const predicted_time& t) {
  return t.cycles_without_conflicts != 0 ? t.cycles_without_conflicts : t.cycles;
}

// In per cent of the cycles of both together.
void add_shares(predicted_time& to, const predicted_time& more) {
  const std::uint64_t all = to.cycles + more.cycles;
  if (all == 0) return;
  const auto part = [all](unsigned percent, std::uint64_t cycles) {
    return static_cast<double>(percent) * static_cast<double>(cycles) / static_cast<double>(all);
  };
  std::vector<std::pair<std::string, double>> sums;
  for (const auto& [name, percent] : to.shares) sums.emplace_back(name, part(percent, to.cycles));
  for (const auto& [name, percent] : more.shares) {
    const auto there = std::find_if(sums.begin(), sums.end(), [&, &n = name](const auto& s) { return s.first == n; });
    if (there == sums.end())
      sums.emplace_back(name, part(percent, more.cycles));
    else
      there->second += part(percent, more.cycles);
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  to.shares.clear();
  for (const auto& [name, percent] : sums)
    if (const auto whole = static_cast<unsigned>(percent + 0.5); whole != 0) to.shares.emplace_back(name, whole);
  if (!to.shares.empty()) to.bound = to.shares.front().first;
}

void add_lines(predicted_time& to, const predicted_time& more) {
  for (const waiting_line& l : more.lines) {
    const auto there = std::find_if(to.lines.begin(), to.lines.end(),
                                    [&](const waiting_line& one) { return one.file == l.file && one.line == l.line; });
    if (there == to.lines.end())
      to.lines.push_back(l);
    else
      there->waits += l.waits;
  }
  std::stable_sort(to.lines.begin(), to.lines.end(),
                   [](const waiting_line& a, const waiting_line& b) { return a.waits.sum() > b.waits.sum(); });
  if (to.lines.size() > most_lines) to.lines.resize(most_lines);
}

}  // namespace

predicted_time& predicted_time::operator+=(const predicted_time& more) {
  // If one time is unknown, the sum of the others would be too small. A sum for two GPUs has no meaning.
  if (!*this || !more || gpu != more.gpu || caches != more.caches) return *this = {};
  const std::uint64_t without = without_conflicts(*this) + without_conflicts(more);
  const bool removes = cycles_without_conflicts != 0 || more.cycles_without_conflicts != 0;
  add_shares(*this, more);
  cycles += more.cycles;
  cycles_low += more.cycles_low;
  cycles_high += more.cycles_high;
  nanoseconds += more.nanoseconds;
  cycles_without_conflicts = removes ? without : 0;
  waits += more.waits;
  add_lines(*this, more);
  return *this;
}

predicted_time& predicted_time::operator*=(std::uint64_t launches) {
  for (std::uint64_t* const n : {&cycles, &cycles_low, &cycles_high, &nanoseconds, &cycles_without_conflicts})
    *n = launches != 0 && *n > ~std::uint64_t{0} / launches ? ~std::uint64_t{0} : *n * launches;
  scale(waits, launches, 1);
  for (waiting_line& l : lines) scale(l.waits, launches, 1);
  return *this;
}

std::uint64_t nanoseconds_of(const predicted_time& t, std::uint64_t cycles) {
  if (t.cycles == 0) return 0;
  return static_cast<std::uint64_t>(
      static_cast<double>(t.nanoseconds) * static_cast<double>(cycles) / static_cast<double>(t.cycles) + 0.5);
}

std::string_view name_of(unpredicted why) {
  switch (why) {
    case unpredicted::none: break;
    case unpredicted::total_limit: return "total_limit";
    case unpredicted::not_traced: return "not_traced";
  }
  return "";
}

}  // namespace bankwise
