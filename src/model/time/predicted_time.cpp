#include "model/time/predicted_time.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/time/used_resources.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_lines = 32;

std::uint64_t without_conflicts(const predicted_time& t) {
  return t.cycles_without_conflicts != 0 ? t.cycles_without_conflicts : t.cycles;
}

std::uint64_t with_best(const predicted_time& t, std::size_t n) {
  for (std::size_t i = n + 1; i-- > 0;)
    if (t.cycles_with_best[i] != 0) return t.cycles_with_best[i];
  return t.cycles;
}

// Returns the largest number if the product is larger.
std::uint64_t multiplied(std::uint64_t n, std::uint64_t times) {
  return times != 0 && n > ~std::uint64_t{0} / times ? ~std::uint64_t{0} : n * times;
}

// Combines two lists of percentages. The results are means, weighted by cycles, in the order of the first list.
std::vector<std::pair<std::string, double>> sum_of(const resource_percents& a, std::uint64_t cycles_of_a,
                                                   const resource_percents& b, std::uint64_t cycles_of_b) {
  const std::uint64_t all = std::max<std::uint64_t>(1, cycles_of_a + cycles_of_b);
  const auto part = [all](unsigned percent, std::uint64_t cycles) {
    return static_cast<double>(percent) * static_cast<double>(cycles) / static_cast<double>(all);
  };
  std::vector<std::pair<std::string, double>> sums;
  for (const auto& [name, percent] : a) sums.emplace_back(name, part(percent, cycles_of_a));
  for (const auto& [name, percent] : b) {
    const auto there = std::find_if(sums.begin(), sums.end(), [&, &n = name](const auto& s) { return s.first == n; });
    if (there == sums.end())
      sums.emplace_back(name, part(percent, cycles_of_b));
    else
      there->second += part(percent, cycles_of_b);
  }
  return sums;
}

// Returns the resource that bounds a time. The time may be a sum. timing::launch_time finds the bound of one launch in
// the same way.
std::string bound_of(const predicted_time& t) {
  struct bound_by_unit {
    std::string_view bound, unit;
  };
  constexpr bound_by_unit bounds[] = {
#define RESOURCE(name, words, unit, busy, ...) {#name, #unit},
#include "model/time/resources.def"
  };
  constexpr unsigned much = 50;
  std::pair<unsigned, std::string_view> most{0, ""};
  for (const std::string_view used : used_resources)
    for (const auto& [bound, unit] : bounds)
      if (unit == used && percent_of(t.use, unit) > most.first) most = {percent_of(t.use, unit), bound};
  if (most.first >= much) return std::string(most.second);
  return t.shares.empty() ? t.bound : t.shares.front().first;
}

void add_percents(predicted_time& to, const predicted_time& more) {
  auto shares = sum_of(to.shares, to.cycles, more.shares, more.cycles);
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  // Reports of earlier versions have no percentages of use.
  const auto use = to.use.empty() || more.use.empty() ? std::vector<std::pair<std::string, double>>()
                                                      : sum_of(to.use, to.cycles, more.use, more.cycles);
  const auto whole = [](double percent) { return static_cast<unsigned>(percent + 0.5); };
  to.shares.clear();
  to.use.clear();
  for (const auto& [name, percent] : shares)
    if (whole(percent) != 0) to.shares.emplace_back(name, whole(percent));
  for (const auto& [name, percent] : use) to.use.emplace_back(name, whole(percent));
  if (to.bound != more.bound) to.bound = bound_of(to);
}

// Launches of which one is not known need an unknown time together.
needed_work sum_of(const needed_work& a, std::uint64_t cycles_of_a, const needed_work& b, std::uint64_t cycles_of_b) {
  if (!a || !b) return {};
  return {a.cycles + b.cycles, a.read_bytes + b.read_bytes, a.written_bytes + b.written_bytes,
          a.is_estimated || b.is_estimated, cycles_of_a >= cycles_of_b ? a.is_arithmetic : b.is_arithmetic};
}

// A part that is unknown for one of the launches is unknown for both. A launch without products has none of the parts.
resource_percents products_of_both(const predicted_time& a, const predicted_time& b) {
  const auto is_unknown = [](const predicted_time& t, std::string_view name) {
    return !t.products.empty() &&
           std::none_of(t.products.begin(), t.products.end(), [&](const auto& one) { return one.first == name; });
  };
  resource_percents out;
  for (const auto& [name, percent] : sum_of(a.products, a.cycles, b.products, b.cycles))
    if (!is_unknown(a, name) && !is_unknown(b, name)) out.emplace_back(name, static_cast<unsigned>(percent + 0.5));
  return out;
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

void add_barriers(predicted_time& to, const predicted_time& more) {
  for (const barrier_wait& b : more.barriers) {
    const auto there = std::find_if(to.barriers.begin(), to.barriers.end(),
                                    [&](const barrier_wait& one) { return one.file == b.file && one.line == b.line; });
    if (there == to.barriers.end()) {
      to.barriers.push_back(b);
      continue;
    }
    const std::uint64_t times = std::max<std::uint64_t>(1, there->times + b.times);
    const auto mean = [&](std::uint64_t x, std::uint64_t y) { return (x * there->times + y * b.times) / times; };
    there->waited = mean(there->waited, b.waited);
    there->longest = mean(there->longest, b.longest);
    if (there->last_warp == b.last_warp)
      there->last_percent = static_cast<unsigned>(mean(there->last_percent, b.last_percent));
    there->times = times;
  }
  sort_barriers(to.barriers);
}

void add_delays(predicted_time& to, const predicted_time& more) {
  for (const delay& d : more.delays) {
    const auto there =
        std::find_if(to.delays.begin(), to.delays.end(), [&](const delay& one) { return is_same_place(one, d); });
    if (there == to.delays.end())
      to.delays.push_back(d);
    else
      there->saved_cycles += d.saved_cycles, there->estimated_cycles += d.estimated_cycles;
  }
  sort_delays(to.delays);
}

}  // namespace

predicted_time& predicted_time::operator+=(const predicted_time& more) {
  // If one of the times is unknown, the sum is unknown. The known time alone would be too small. A sum for two GPUs has
  // no meaning.
  if (!*this || !more || gpu != more.gpu || caches != more.caches) return *this = {};
  const std::uint64_t without = without_conflicts(*this) + without_conflicts(more);
  if (cycles_with_best != decltype(cycles_with_best){} || more.cycles_with_best != decltype(cycles_with_best){}) {
    decltype(cycles_with_best) best{};
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = with_best(*this, i) + with_best(more, i);
    cycles_with_best = best;
  }
  if (resident_blocks != more.resident_blocks) {
    resident_blocks = occupancy = 0;
    limited_by.clear();
  }
  const bool removes = cycles_without_conflicts != 0 || more.cycles_without_conflicts != 0;
  add_percents(*this, more);
  needed = sum_of(needed, cycles, more.needed, more.cycles);
  products = products_of_both(*this, more);
  cycles += more.cycles;
  cycles_low += more.cycles_low;
  cycles_high += more.cycles_high;
  nanoseconds += more.nanoseconds;
  cycles_without_conflicts = removes ? without : 0;
  traced_blocks += more.traced_blocks;
  traced_in_part |= more.traced_in_part;
  waits += more.waits;
  add_lines(*this, more);
  add_barriers(*this, more);
  add_delays(*this, more);
  return *this;
}

predicted_time& predicted_time::operator*=(std::uint64_t launches) {
  for (std::uint64_t* const n :
       {&cycles, &cycles_low, &cycles_high, &nanoseconds, &cycles_without_conflicts, &needed.cycles, &needed.read_bytes,
        &needed.written_bytes, &cycles_with_best[0], &cycles_with_best[1]})
    *n = multiplied(*n, launches);
  scale(waits, launches, 1);
  for (waiting_line& l : lines) scale(l.waits, launches, 1);
  for (delay& d : delays)
    for (std::uint64_t* const n : {&d.saved_cycles, &d.estimated_cycles}) *n = multiplied(*n, launches);
  return *this;
}

double waves_of(const predicted_time& t, std::uint64_t blocks) {
  if (t.resident_blocks == 0 || t.multiprocessors == 0) return 0;
  return static_cast<double>(blocks) / static_cast<double>(t.resident_blocks * t.multiprocessors);
}

unsigned percent_of(const resource_percents& all, std::string_view name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
  return at == all.end() ? 0 : at->second;
}

double idle_part(const predicted_time& t) {
  unsigned most = 0;
  for (const auto& [name, percent] : t.use) most = std::max(most, percent);
  return most == 0 ? 1 : 1 - std::min(100U, most) / 100.0;
}

double idle_part(const predicted_time& t, std::string_view resources) {
  unsigned most = 0;
  for (const std::string_view one : split(resources, ' ')) most = std::max(most, percent_of(t.use, one));
  return 1 - std::min(100U, most) / 100.0;
}

double above_floor(const predicted_time& t) {
  if (!t.needed || t.cycles == 0) return idle_part(t);
  return 1 - static_cast<double>(std::min(t.needed.cycles, t.cycles)) / static_cast<double>(t.cycles);
}

bool are_comparable(const predicted_time& a, const predicted_time& b) {
  return a && b && a.gpu == b.gpu && a.caches == b.caches && a.cycles != 0 && b.cycles != 0;
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
    case unpredicted::not_executed: return "not_executed";
    case unpredicted::other_work: return "other_work";
  }
  return "";
}

}  // namespace bankwise
