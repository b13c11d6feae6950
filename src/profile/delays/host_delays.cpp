// Delays from memory of the host: bytes that a kernel reads over PCIe again and again.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "profile/delays/traced_launch.hpp"
#include "timing/trace/fewer_sectors.hpp"

namespace bankwise {

namespace {

// Calls visit(sector) for each sector of a line. A sector is the number of its line times 4, plus its place there.
template <class Visit>
void each_sector_of(timing::line_sectors line, Visit visit) {
  for (unsigned s = 0; s < 4; ++s)
    if ((line >> s & 1) != 0) visit(timing::line_number(line) << 2 | s);
}

std::uint64_t page_of(timing::line_sectors line) { return timing::line_number(line) >> 14; }  // 2 MiB

// Sectors of the host that blocks read.
struct host_reads {
  std::map<std::uint32_t, std::uint64_t> by_code;  // sectors that the traced blocks load
  double all = 0, different = 0;                   // sectors of the blocks whose first accesses are known
  double times() const { return all / different; }
};

bool is_host_load(const timing::traced_access& a) {
  return a.space == timing::memory_space::host && a.does == timing::memory_action::load;
}

host_reads host_reads_of(const timing::launch_trace& t) {
  host_reads found;
  std::uint64_t loaded = 0;
  std::unordered_set<std::uint64_t> pages, different;
  for (const timing::traced_access& a : t.accesses)
    for (std::uint32_t i = 0; is_host_load(a) && i < a.lines; ++i) {
      const timing::line_sectors line = t.lines[a.first_line + i];
      pages.insert(page_of(line));
      each_sector_of(line, [&](std::uint64_t sector) {
        ++loaded;
        ++found.by_code[a.code];
        different.insert(sector);
      });
    }
  // Blocks that were not traced read as much as those that were. Only their first accesses to each line are known.
  const std::size_t blocks = std::max(t.touching.size(), t.blocks.size());
  for (const timing::touched_line& one : t.touched)
    if (!one.stores && pages.contains(page_of(one.what)))
      each_sector_of(one.what, [&](std::uint64_t sector) { different.insert(sector); });
  found.all = static_cast<double>(loaded) * static_cast<double>(blocks) / static_cast<double>(t.blocks.size());
  found.different = static_cast<double>(different.size());
  return found;
}

void find_host_reads(traced_launch& l) {
  constexpr double often = 2;
  const host_reads reads = host_reads_of(l.trace);
  if (reads.different == 0 || reads.times() < often) return;
  // The same loads from memory of the device. The program must copy each byte to the device once, which takes the share
  // of the first reads.
  timing::launch_trace copied = timing::replayed_part(l.trace);
  for (timing::traced_access& a : copied.accesses)
    if (is_host_load(a)) a.space = timing::memory_space::global;
  const double again = 1 - 1 / reads.times();
  const auto saved = static_cast<std::uint64_t>(again * static_cast<double>(l.again.saved_with(copied)));
  const auto most = std::max_element(reads.by_code.begin(), reads.by_code.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!l.is_enough(saved)) return;
  delay d = l.delay_at(delay_kind::host_reads, most->first);
  d.now = static_cast<std::uint64_t>(reads.times() + 0.5);
  l.add(std::move(d), saved);
}

}  // namespace

void find_host_delays(traced_launch& l) { find_host_reads(l); }

}  // namespace bankwise
