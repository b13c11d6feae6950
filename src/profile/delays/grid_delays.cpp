// Delays from the number and the size of the blocks.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <vector>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "profile/delays/traced_launch.hpp"
#include "sass/flow/basic_blocks.hpp"

namespace bankwise {

namespace {

// Whether the blocks wait for each other, as in a scan in one pass. Then the last block ends late in any case.
bool polls(const traced_launch& l) {
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && l.is_strong_load(i)) return true;
  return false;
}

// Blocks or warps of a grid that are too few for the GPU. The same work could be divided among more threads.
void find_few_blocks(traced_launch& l) {
  constexpr unsigned most_of_launch = 50;  // percent; a shorter launch mostly consists of its own cost
  constexpr std::uint64_t few_warps = 8, enough_warps = 16;  // of a multiprocessor
  const auto multiprocessors = static_cast<std::uint64_t>(l.gpu.multiprocessors);
  const std::uint64_t blocks = l.trace.grid_blocks(),
                      all_warps = blocks * ((l.trace.threads() + warp_lanes - 1) / warp_lanes);
  delay d;
  d.is = delay_kind::few_blocks;
  d.now = blocks;
  d.then = multiprocessors;
  const bool is_idle = blocks * 4 <= multiprocessors * 3;
  if (!is_idle) {
    if (all_warps > few_warps * multiprocessors || !l.may_save("latency")) return;
    d.about = "warps";
    d.now = all_warps;
  }
  if (percent_of(l.time.shares, "launch") >= most_of_launch) return;
  // A short launch with few blocks is often only a test with little data, so its other findings come first.
  constexpr std::uint64_t long_enough = 25'000;  // nanoseconds
  if (l.time.nanoseconds >= long_enough && !polls(l)) {
    const auto parts = static_cast<std::uint32_t>((enough_warps * multiprocessors + all_warps - 1) / all_warps);
    const double divided = timing::predict_divided_cycles(l.trace, l.gpu, std::max(2U, parts));
    ++l.again.count;
    return l.add(std::move(d), l.time.cycles - std::min(l.time.cycles, static_cast<std::uint64_t>(divided)));
  }
  if (is_idle) l.found.push_back(std::move(d));
}

void find_uneven_blocks(traced_launch& l) {
  const double own = static_cast<double>(l.trace.grid_blocks()) / l.gpu.multiprocessors;
  if (!l.is_enough(static_cast<std::uint64_t>(static_cast<double>(l.time.cycles) * (1 - own / std::ceil(own))))) return;
  if (polls(l)) return;
  const double even = timing::predict_even_cycles(l.trace, l.gpu);
  if (even == 0) return;
  ++l.again.count;
  delay d;
  d.is = delay_kind::uneven_blocks;
  d.then = static_cast<std::uint64_t>(l.gpu.multiprocessors);
  d.now = (l.trace.grid_blocks() + d.then - 1) / d.then;
  l.add(std::move(d), l.time.cycles - std::min(l.time.cycles, static_cast<std::uint64_t>(even)));
}

// Returns the registers of a thread or the shared bytes of a block with which `blocks` fit. Returns 0 if nothing fits.
std::uint64_t allowed_for(const cubin::multiprocessor& on, cubin::resources block, cubin::limit by,
                          std::uint32_t blocks) {
  std::uint32_t& amount = by == cubin::limit::registers ? block.registers_a_thread : block.shared_bytes;
  const std::uint32_t step = by == cubin::limit::registers ? 8 : 128;
  for (amount -= amount % step; amount >= step; amount -= step)
    if (cubin::blocks_per_multiprocessor(on, block).blocks >= blocks) return amount;
  return 0;
}

// Blocks with many threads take the place of several small blocks. They begin together, and more warps are resident.
void find_small_blocks(traced_launch& l, const cubin::multiprocessor& on, std::uint32_t now) {
  constexpr std::uint32_t small = 64, usual = 256;  // threads of a block
  if (l.trace.threads() > small || l.trace.cluster_blocks > 1) return;
  const std::uint32_t joined = usual / std::max(warp_lanes, l.trace.threads());
  const std::uint32_t most = on.warps * warp_lanes / std::max(warp_lanes, l.trace.threads());
  delay d;
  d.is = delay_kind::small_blocks;
  d.now = l.trace.threads();
  d.then = usual;
  const timing::residency with{.blocks = std::max(now, most), .joined = joined};
  l.add(std::move(d), l.again.saved_with({}, with));
}

// Adds the smallest change that allows more blocks, if the delay asks for a larger one.
void add_next_blocks(delay& d, const cubin::multiprocessor& on, cubin::resources block, const cubin::occupancy& now) {
  const std::uint64_t next = allowed_for(on, block, now.by, now.blocks + 1);
  if (next == 0 || next == d.allowed) return;
  (now.by == cubin::limit::registers ? block.registers_a_thread : block.shared_bytes) =
      static_cast<std::uint32_t>(next);
  d.next_allowed = next;
  d.next_blocks = cubin::blocks_per_multiprocessor(on, block).blocks;
}

// The most registers that have values which later instructions read, among instructions that most warps execute. With
// fewer registers, the kernel has to spill.
std::size_t live_registers(const traced_launch& l) {
  constexpr std::uint64_t rarely = 20;  // one in 20 warps
  constexpr unsigned most_passes = 8;   // values pass through a few nested loops at most
  std::vector<std::bitset<256>> live(l.code.size() + 1);
  std::size_t most = 0;
  bool changes = true;
  for (unsigned pass = 0; changes && pass < most_passes; ++pass) {
    changes = false;
    for (const timing::traced_section& s : l.trace.sections)
      for (std::uint32_t i = s.first + s.count; i-- > s.first;) {
        std::bitset<256> now = live[i + 1];
        if (l.executed[i].times * rarely >= l.warps) {
          const sass::reads_and_writes& io = l.registers_of(i);
          const auto begin = sass::loop_begin(l.code[i], std::uint64_t{i - s.first} * sass::instruction_bytes);
          if (begin) now |= live[s.first + *begin / sass::instruction_bytes];
          if (l.code[i].guard() == sass::predicate_true) now &= ~io.writes.vector;
          now |= io.reads.vector;
        }
        changes |= now != live[i];
        live[i] = now;
        most = std::max(most, now.count());
      }
  }
  return most;
}

// The part of a saving that remains if smaller blocks take the registers that are left: more warps are resident, but not
// as many as `then` blocks have. 0 if smaller blocks do not help.
double part_of_smaller_blocks(const traced_launch& l, const cubin::multiprocessor& on, std::uint32_t now,
                              std::uint32_t then) {
  constexpr std::uint32_t usual = 256;  // threads
  if (l.trace.threads() <= usual) return 0;
  const cubin::resources block{usual, l.trace.registers, l.trace.shared_bytes * usual / l.trace.threads()};
  const double threads = now * l.trace.threads(), smaller = cubin::blocks_per_multiprocessor(on, block).blocks * usual;
  // The time that a warp waits is divided among the resident warps.
  return smaller <= threads ? 0 : std::min(1.0, (1 - threads / smaller) / (1 - double{1} * now / then));
}

void find_low_occupancy(traced_launch& l, const cubin::multiprocessor& on, const cubin::occupancy& now) {
  if ((now.by != cubin::limit::registers && now.by != cubin::limit::shared) || !l.may_save("latency barriers")) return;
  const cubin::resources block{l.trace.threads(), l.trace.registers, l.trace.shared_bytes};
  const auto own =
      static_cast<std::uint32_t>(l.trace.grid_blocks() / static_cast<std::uint64_t>(l.gpu.multiprocessors));
  const std::uint32_t most = std::min(own, on.warps / ((l.trace.threads() + warp_lanes - 1) / warp_lanes));
  delay best;
  std::uint64_t saved = 0;
  constexpr std::size_t reserved = 2;  // registers that a compiler needs for addresses of spills and the stack
  const auto next_blocks = [&](std::uint32_t then) {
    const std::uint32_t twice = std::max(then + 1, (then - then % now.blocks) * 2);
    return then < most ? std::min(twice, most) : twice;
  };
  const std::size_t live = now.by == cubin::limit::registers ? live_registers(l) : 0;
  for (std::uint32_t then = now.blocks + 1; then <= most; then = next_blocks(then)) {
    delay d;
    d.is = delay_kind::low_occupancy;
    d.now = now.blocks;
    d.then = then;
    d.limit = cubin::name_of(now.by);
    d.used = now.by == cubin::limit::registers ? block.registers_a_thread : block.shared_bytes;
    d.allowed = allowed_for(on, block, now.by, then);
    const bool by_registers = now.by == cubin::limit::registers;
    if (d.allowed == 0 || (by_registers && d.allowed * 2 < l.trace.registers)) break;
    const bool spills = by_registers && d.allowed < live + reserved;
    const double part = spills ? part_of_smaller_blocks(l, on, now.blocks, then) : 1;
    if (part == 0) continue;
    if (spills) d.about = "blocks";
    // More blocks ask for a larger change, so they must save more.
    const auto s = static_cast<std::uint64_t>(part * static_cast<double>(l.again.saved_with({}, {.blocks = then})));
    if (s <= saved + saved / 10) continue;
    saved = s;
    best = std::move(d);
  }
  if (saved == 0) return;
  add_next_blocks(best, on, block, now);
  l.add(std::move(best), saved);
}

}  // namespace

void find_grid_delays(traced_launch& l) {
  find_few_blocks(l);
  find_uneven_blocks(l);
  const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", l.trace.sm));
  if (on == nullptr) return;
  const cubin::occupancy now =
      cubin::blocks_per_multiprocessor(*on, {l.trace.threads(), l.trace.registers, l.trace.shared_bytes});
  if (now.blocks == 0) return;
  find_small_blocks(l, *on, now.blocks);
  find_low_occupancy(l, *on, now);
}

}  // namespace bankwise
