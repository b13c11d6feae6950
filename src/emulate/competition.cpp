// Where the loops are, and the clock of who goes when.
#include "emulate/competition.hpp"

#include <algorithm>
#include <bit>

#include "sass/basic_blocks.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

// In clocks, fitted together to the rows of data/sm_90/contention.csv.zst, an H200's: what fits best, not what was measured one by one.
constexpr std::uint64_t load_latency = 23;     // from the pipe to the scoreboard
constexpr std::uint64_t spin_latency = 30;     // ATOMS.CAST.SPIN
constexpr std::uint64_t swap_latency = 17;     // ATOMS.CAS
constexpr std::uint64_t wide_latency = 2;      // what 64 bits take more
constexpr std::uint64_t other_latency = 35;    // of what sets a scoreboard besides
constexpr std::uint64_t operand_latency = 10;  // until its registers are read
constexpr std::uint64_t part_clocks = 10;      // a branch whose lanes go two ways
constexpr std::uint64_t fence_clocks = 200;    // MEMBAR
constexpr std::uint64_t turn_clocks = 50;      // another path of the warp goes on
constexpr std::uint64_t release_clocks = 600;  // and lanes that waited at a BSYNC do
// Of what Nsight Compute runs before an access, while it counts: without it these loops go round less often on a GPU.
constexpr std::uint64_t swap_lead = 400;          // ATOMS.CAS
constexpr std::uint64_t swap_lead_of_a_lane = 2;  // and for each lane
constexpr std::uint64_t update_lead = 20;         // another atomic
constexpr std::uint64_t wake_clocks = 10;         // from the last arrival at a barrier
constexpr std::uint32_t least_wavefronts = 1;     // clocks of the pipe for any access
constexpr std::uint32_t swap_wavefronts = 2;      // of ATOMS.CAS for each lane of a bank

// Code that is looked at need not be code that can be executed: what it says of its fields may be missing.
bool is_swap(const micro_op& u) {
  const auto* const fields = std::get_if<sass::memory_access>(&u.fields);
  return (u.op == opcode::ATOMS_CAST || u.op == opcode::ATOMS_CAS || u.op == opcode::ATOMS) && fields != nullptr &&
         fields->is_swap;
}
bool is_barrier(const micro_op& u) {
  return u.op == opcode::BAR_II || u.op == opcode::BAR_RR || u.op == opcode::BAR_RI || u.op == opcode::BAR_IR;
}

// Before the access of these lanes, which are of so many paths that came together.
std::uint64_t lead(const micro_op& u, std::uint32_t lanes, std::size_t paths) {
  if (u.op != opcode::ATOMS_CAS && u.op != opcode::ATOMS) return 0;
  if (!is_swap(u)) return update_lead;
  if (u.as<sass::memory_access>().spins) return 0;
  return swap_lead * std::max<std::size_t>(1, paths) +
         swap_lead_of_a_lane * static_cast<unsigned>(std::popcount(lanes));
}

// Loops around swaps, as a jump back shows them.
std::vector<bool> loops_of(const decoded_section& section) {
  std::vector<bool> loops;
  for (const micro_op& u : section.ops) {
    if (!is_swap(u)) continue;
    const auto loop = sass::loop_around(section.code, section.set, std::uint64_t{u.index} * sass::instruction_bytes);
    if (!loop) continue;
    loops.resize(section.ops.size());
    for (std::uint64_t at = loop->first; at <= loop->second; at += sass::instruction_bytes)
      loops[at / sass::instruction_bytes] = true;
  }
  return loops;
}

}  // namespace

std::vector<bool> competing_code(const decoded_section& section) {
  std::vector<bool> before = loops_of(section);
  if (before.empty()) return {};
  std::vector<bool> behind = before;
  const std::size_t count = section.ops.size();
  // Where lanes can go by jumps whose target stands in the code; others, calls and returns, are looked at from both their ends.
  const auto target = [&](std::size_t n) {
    const std::uint64_t to = section.ops[n].target;
    return to >= section.begin && to < section.end && sass::traits_of(section.ops[n].op).flow != sass::flow::next
               ? static_cast<std::size_t>((to - section.begin) / sass::instruction_bytes)
               : n;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t n = count; n-- != 0;) {
      if (before[n] || is_barrier(section.ops[n])) continue;
      if (before[target(n)] || (n + 1 < count && before[n + 1])) before[n] = changed = true;
    }
    for (std::size_t n = 0; n < count; ++n) {
      if (!behind[n] || is_barrier(section.ops[n])) continue;
      for (const std::size_t to : {target(n), std::min(n + 1, count - 1)})
        if (!behind[to]) behind[to] = changed = true;
    }
  }
  for (std::size_t n = 0; n < count; ++n) before[n] = before[n] || (behind[n] && !is_barrier(section.ops[n]));
  return before;
}

void competition::start(std::size_t warps) {
  clocks_.assign(warps, {});
  scheduler_ = {};
  latest_.fill(warps);
  pipe_ = now_ = 0;
}

std::uint64_t competition::when(std::size_t warp, const sass::instruction& i, const micro_op& u, std::uint32_t lanes,
                                std::size_t paths) const {
  const warp_clock& c = clocks_[warp];
  std::uint64_t at = c.next;
  for (std::uint64_t waits = i.bits(116, 6); waits != 0; waits &= waits - 1)
    at = std::max(at, c.scoreboard[static_cast<std::size_t>(std::countr_zero(waits))]);
  return std::max(at + lead(u, lanes, paths), scheduler_[warp % scheduler_.size()]);
}

// A scheduler stays with its warp as long as that can go on, then takes the oldest.
bool competition::before(std::size_t a, std::uint64_t at_a, std::size_t b, std::uint64_t at_b) const {
  if (at_a != at_b) return at_a < at_b;
  const std::size_t on_a = a % scheduler_.size(), on_b = b % scheduler_.size();
  if (on_a != on_b) return on_a < on_b;
  return a == latest_[on_a] || (b != latest_[on_b] && a < b);
}

void competition::issue(std::size_t warp, const sass::instruction& i, const micro_op& u, const issued& how) {
  warp_clock& c = clocks_[warp];
  now_ = how.at;
  latest_[warp % scheduler_.size()] = warp;
  scheduler_[warp % scheduler_.size()] = now_ + 1;
  c.next = now_ + std::max<std::uint64_t>(1, i.bits(105, 4)) + (how.parted ? part_clocks : 0) +
           (how.after == turn::released ? release_clocks
            : how.after == turn::given  ? turn_clocks
                                        : 0);
  if (u.op == opcode::MEMBAR) c.next += fence_clocks;
  std::uint64_t done = now_ + other_latency, read = now_ + operand_latency;
  if (how.wavefronts != 0) {
    const auto& f = u.as<sass::memory_access>();
    pipe_ = std::max(pipe_, now_) + std::max(least_wavefronts, how.wavefronts);
    read = pipe_;
    done = pipe_ +
           (f.spins      ? spin_latency
            : is_swap(u) ? swap_latency
                         : load_latency) +
           (f.bytes == 8 ? wide_latency : 0);
  }
  const auto set = [&](std::uint64_t number, std::uint64_t at) {
    if (number < c.scoreboard.size()) c.scoreboard[number] = std::max(c.scoreboard[number], at);
  };
  set(i.bits(110, 3), done);
  set(i.bits(113, 3), read);
}

void competition::wake(std::size_t warp) {
  warp_clock& c = clocks_[warp];
  if (!c.waits) return;
  c.waits = false;
  c.next = std::max(c.next, now_ + wake_clocks);
}

std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u) {
  const auto& f = u.as<sass::memory_access>();
  if (f.spins) return f.bytes == 8 ? 3 : 2;
  if (a.what.mask == 0) return 1;
  const bool counts_all = is_swap(u);  // else lanes with one address are served together
  std::array<std::uint32_t, 32> lanes{};
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((a.what.mask >> i & 1) == 0) continue;
    bool is_first = true;
    for (std::uint32_t j = 0; j < i && !counts_all; ++j)
      is_first &= (a.what.mask >> j & 1) == 0 || a.what.address[i] != a.what.address[j];
    if (is_first) ++lanes[a.what.address[i] / 4 % 32];
  }
  return *std::max_element(lanes.begin(), lanes.end()) * (counts_all ? swap_wavefronts : 1);
}

}  // namespace bankwise::emulate
