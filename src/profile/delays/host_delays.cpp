// Delays from memory of the host: bytes that a kernel reads over PCIe again and again.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "profile/delays/traced_launch.hpp"
#include "timing/trace/fewer_sectors.hpp"

namespace bankwise {

namespace {

// Sectors of the host that blocks read over PCIe. L1 keeps what a block has read.
struct host_reads {
  std::map<std::uint32_t, std::uint64_t> by_code;  // sectors that the traced blocks load
  double times = 1;                                // how often each sector is read on average
};

bool is_host_load(const timing::traced_access& a) {
  return a.space == timing::memory_space::host && a.does == timing::memory_action::load;
}

// If reads choose sectors at random, and each sector that is read at all is read `each` times on average, returns the
// reads for each sector that can be chosen. Returns 0 if hardly any sector is read twice.
double times_of_random(double each) {
  constexpr double hardly = 1.15;
  if (each < hardly) return 0;
  double least = 0, most = each;  // of n reads, 1 - exp(-n) of a sector are different
  for (int step = 0; step < 50; ++step) {
    const double n = (least + most) / 2;
    (n < each * (1 - std::exp(-n)) ? least : most) = n;
  }
  return least;
}

host_reads host_reads_of(const timing::launch_trace& t) {
  host_reads found;
  std::unordered_set<std::uint64_t> all;
  std::uint64_t loaded = 0;
  for (const timing::traced_block& b : t.blocks) {
    std::unordered_set<std::uint64_t> of_block;
    each_access(t, b, timing::memory_space::host,
                [&](std::uint32_t, const timing::traced_run&, const timing::traced_access& a) {
                  if (is_host_load(a))
                    each_sector(t, a,
                                [&](std::uint64_t sector) { found.by_code[a.code] += of_block.insert(sector).second; });
                });
    loaded += of_block.size();
    all.merge(of_block);
  }
  if (all.empty()) return found;
  const double each = static_cast<double>(loaded) / static_cast<double>(all.size()),
               others = static_cast<double>(t.grid_blocks()) / static_cast<double>(t.blocks.size());
  found.times = std::max(each, times_of_random(each) * others);
  return found;
}

void find_host_reads(traced_launch& l) {
  constexpr double often = 2;
  const host_reads reads = host_reads_of(l.trace);
  if (reads.times < often) return;
  // The same loads from memory of the device. The program must copy each byte to the device once, which takes the share
  // of the first reads.
  timing::launch_trace copied = timing::replayed_part(l.trace);
  for (timing::traced_access& a : copied.accesses)
    if (is_host_load(a)) a.space = timing::memory_space::global;
  const double again = 1 - 1 / reads.times;
  const auto saved = static_cast<std::uint64_t>(again * static_cast<double>(l.again.saved_with(copied)));
  const auto most = std::max_element(reads.by_code.begin(), reads.by_code.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!l.is_enough(saved)) return;
  delay d = l.delay_at(delay_kind::host_reads, most->first);
  d.now = static_cast<std::uint64_t>(reads.times + 0.5);
  l.add(std::move(d), saved);
}

}  // namespace

void find_host_delays(traced_launch& l) { find_host_reads(l); }

}  // namespace bankwise
