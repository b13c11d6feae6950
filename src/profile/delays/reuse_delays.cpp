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

// Whether an instruction only copies a register, as at the end of a round that loads the values of the next.
bool is_copy(const traced_launch& l, std::uint32_t i) {
  const auto register_at = [&](unsigned bit) { return l.code[i].bits(bit, 8); };
  return l.opcode_at(i) == sass::opcode::MOV ||
         (l.opcode_at(i) == sass::opcode::IMAD && register_at(24) == sass::register_zero &&
          register_at(32) == sass::register_zero);
}

// Counts how many instructions use registers until they are written again.
struct uses {
  double count = 0;
  bool are_copied = false;

  void look(const traced_launch& l, std::uint32_t begin, std::uint32_t end, sass::register_set& of) {
    for (std::uint32_t i = begin; i < end && of.vector.any(); ++i) {
      if (!l.is_executed(i)) continue;
      const sass::reads_and_writes& io = l.registers_of(i);
      const std::size_t read = (io.reads.vector & of.vector).count();
      count += static_cast<double>(read);
      are_copied |= read != 0 && is_copy(l, i);
      of.vector &= ~io.writes.vector;
    }
  }
};

// Whether each value of a load is used by one instruction.
bool is_used_once(const traced_launch& l, std::uint32_t load) {
  constexpr std::uint32_t farthest = 512;  // instructions
  constexpr double once = 1.5;             // uses of a register, on average
  sass::register_set loaded = l.registers_of(load).writes;
  const auto registers = static_cast<double>(loaded.vector.count());
  if (registers == 0) return false;
  const auto [first, last] = l.loop_around(load);
  const bool is_in_loop = first <= last;
  uses u;
  u.look(l, load + 1,
         std::min<std::uint32_t>(is_in_loop ? last + 1 : static_cast<std::uint32_t>(l.code.size()), load + farthest),
         loaded);
  if (is_in_loop) u.look(l, first, load, loaded);
  return !u.are_copied && u.count <= once * registers;
}

// Whether the address of a load depends on a value that another load read, as in a table. Then the results of a thread
// need different values.
bool is_looked_up(const traced_launch& l, std::uint32_t load) {
  constexpr std::uint32_t farthest = 256;  // instructions
  sass::register_set wanted = l.registers_of(load).reads;
  const std::uint32_t begin = std::max(l.section_begin(load), load > farthest ? load - farthest : 0);
  return l.come_from_memory(wanted, begin, load);
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
  constexpr std::uint64_t one_in = 10;  // one in 10 of the cycles, because the change is large
  const bool of_shared = share_values(l), of_global = loads_neighbours(l.trace) && share_sectors(l.trace);
  if (!of_shared && !of_global) return;
  change_list out;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const bool is_shared = (of_shared && l.is_plain_load(i, sass::space::shared)) ||
                           (of_global && l.is_plain_load(i, sass::space::global));
    if (!l.is_executed(i) || !is_shared || !is_used_once(l, i) || is_looked_up(l, i)) continue;
    out.push_back(left_out(i, part_left, timing::spread(i)));
    if (out.size() == 1 || l.executed[i].times > l.executed[most].times) most = i;
  }
  if (out.empty()) return;
  const std::uint64_t saved = l.again.saved_with(out);
  if (saved * one_in >= l.time.cycles) l.add(l.delay_at(delay_kind::little_reuse, most), saved);
}

}  // namespace bankwise
