#include "profile/padded_conflicts.hpp"

#include <algorithm>
#include <array>

#include "model/source_lines.hpp"
#include "rule/fast_rule.hpp"

namespace bankwise {

namespace {

constexpr std::array<u32, 9> row_bytes{16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr u32 word = 4;

// One element more after each row.
access padded(access a, u32 row) {
  const u32 element = std::max<u32>(word, a.op.width_bytes);
  for (u32& address : a.address) address += address / std::max(row, element) * element;
  return a;
}

bool is_at_data(const site& s) {
  return is_access(s) && sass::is_by_data(s.depends) && !is_matrix(s.op.op.kind) && !is_copy(s.op.op.kind);
}

// The wavefronts of the kept accesses with a layout. If none were kept, the worst access stands for all: a layout that
// has no conflicts there has none anywhere, and among rows at random places it is as good as any other access.
template <class Padded>
std::uint64_t wavefronts_of(const launch_report& l, const std::vector<std::size_t>& sites, const fast_rule& cost_of,
                            Padded padded) {
  std::uint64_t sum = 0;
  for (const std::size_t i : sites)
    if (const site& s = l.sites[i]; !s.accesses.empty())
      for (const recorded_access& a : s.accesses) sum += a.count * cost_of(padded(a.what)).wavefronts;
    else
      sum += s.executed * cost_of(padded(s.worst)).wavefronts;
  return sum;
}

}  // namespace

std::vector<std::uint64_t> removable_by_padding(const launch_report& l, const machine& on) {
  std::vector<std::uint64_t> all;
  for (const site& s : l.sites) all.push_back(removable(s));
  const fast_rule cost_of(on.model);
  for (const costly_line& line : costly_lines(l)) {
    std::vector<std::size_t> sites;
    std::copy_if(line.sites.begin(), line.sites.end(), std::back_inserter(sites),
                 [&](std::size_t i) { return is_at_data(l.sites[i]); });
    std::uint64_t now = 0;
    for (const std::size_t i : sites) {
      const site& s = l.sites[i];
      if (s.accesses.empty())
        now += s.wavefronts;
      else
        now += wavefronts_of(l, {i}, cost_of, [](const access& a) { return a; });
    }
    if (now == 0) continue;
    std::uint64_t least = now;
    for (const u32 row : row_bytes)
      least = std::min(least, wavefronts_of(l, sites, cost_of, [&](const access& a) { return padded(a, row); }));
    for (const std::size_t i : sites) all[i] = std::min(all[i], scaled(l.sites[i].wavefronts, now - least, now));
  }
  return all;
}

}  // namespace bankwise
