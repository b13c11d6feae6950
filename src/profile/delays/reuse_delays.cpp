// Delays from values that many threads load from shared memory or L1, each for one result. A thread that computes
// several results loads a value once for all of them.
//
//     one result      sum += a[y][k] * b[k][x]                    2 loads for a product
//     4 x 4 results   sum[i][j] += a[y + i][k] * b[k][x + j]      8 loads for 16 products
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

constexpr double part_left = 0.25;  // of the loads, with 4 x 4 results of a thread

// Returns how many instructions use each register of a load on average, until it is written again.
double uses_of(const traced_launch& l, std::uint32_t load) {
  constexpr std::uint32_t farthest = 512;  // instructions
  sass::register_set loaded = l.registers_of(load).writes;
  const auto registers = static_cast<double>(loaded.vector.count());
  double uses = 0;
  for (std::uint32_t i = load + 1; i < l.code.size() && i < load + farthest && loaded.vector.any(); ++i) {
    if (!l.is_executed(i)) continue;
    const sass::reads_and_writes& io = l.registers_of(i);
    uses += static_cast<double>((io.reads.vector & loaded.vector).count());
    loaded.vector &= ~io.writes.vector;
  }
  return uses / registers;
}

// Whether threads load each value of shared memory several times.
bool share_values(const traced_launch& l) {
  constexpr std::uint64_t often = 4;
  std::uint64_t loaded = 0, stored = 0;  // bytes
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const sass::opcode_traits& t = l.traits_at(i);
    if (!l.is_executed(i) || t.unit != sass::unit::memory || !sass::touches(t.space, sass::space::shared)) continue;
    const sass::fields f = sass::fields_of(l.code[i]);
    const auto* const m = std::get_if<sass::memory_access>(&f);
    const std::uint64_t bytes = l.executed[i].lanes * (m != nullptr ? m->bytes : 16);
    (t.action == sass::action::load ? loaded : stored) += bytes;
  }
  return stored != 0 && loaded >= often * stored;
}

// Whether several warps of a traced block load each sector of global memory.
bool share_sectors(const timing::launch_trace& t) {
  constexpr double often = 2.5;  // warps for a sector
  constexpr std::size_t most_sectors = 1 << 16;
  double sectors = 0, with_warps = 0;
  for (const timing::traced_block& b : t.blocks) {
    std::unordered_map<std::uint64_t, std::uint64_t> warps;  // a bit for each warp, by sector
    each_global_access(t, b, [&](std::uint32_t warp, const timing::traced_run&, const timing::traced_access& a) {
      if (a.does != timing::memory_action::load || warps.size() > most_sectors) return;
      each_sector(t, a, [&](std::uint64_t sector) { warps[sector] |= std::uint64_t{1} << warp % 64; });
    });
    sectors += static_cast<double>(warps.size());
    for (const auto& [sector, bits] : warps) with_warps += std::popcount(bits);
  }
  return sectors != 0 && with_warps >= often * sectors;
}

}  // namespace

void find_reuse_delays(traced_launch& l) {
  constexpr double once = 1.5;          // uses of a value, on average
  constexpr std::uint64_t one_in = 10;  // one in 10 of the cycles, because the change is large
  const bool of_shared = share_values(l), of_global = loads_neighbours(l.trace) && share_sectors(l.trace);
  if (!of_shared && !of_global) return;
  change_list out;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    if (!l.is_executed(i) || l.registers_of(i).writes.vector.none() || uses_of(l, i) > once) continue;
    if (!(of_shared && l.is_plain_load(i, sass::space::shared)) &&
        !(of_global && l.is_plain_load(i, sass::space::global)))
      continue;
    out.push_back(left_out(i, part_left, timing::spread(i)));
    if (out.size() == 1 || l.executed[i].times > l.executed[most].times) most = i;
  }
  if (out.empty()) return;
  const std::uint64_t saved = l.again.saved_with(out);
  if (saved * one_in >= l.time.cycles) l.add(l.delay_at(delay_kind::little_reuse, most), saved);
}

}  // namespace bankwise
