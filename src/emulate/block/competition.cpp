// Finds competing loops, and runs the clock that decides the order of warps.
#include "emulate/block/competition.hpp"

#include <algorithm>
#include <bit>

#include "base/random_numbers.hpp"
#include "sass/flow/basic_blocks.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

// Latencies of the shared-memory pipe and of other operations, in clocks.
constexpr std::uint64_t load_latency = 23;     // latency of loads: clocks from the pipe to the scoreboard
constexpr std::uint64_t spin_latency = 30;     // latency of ATOMS.CAST.SPIN
constexpr std::uint64_t swap_latency = 17;     // latency of ATOMS.CAS
constexpr std::uint64_t wide_latency = 2;      // additional latency of accesses to 64 bits
constexpr std::uint64_t other_latency = 35;    // latency of other instructions that set a scoreboard
constexpr std::uint64_t operand_latency = 10;  // clocks until an instruction has read its operands
constexpr std::uint64_t fence_clocks = 474;    // duration of a MEMBAR, in clocks
constexpr std::uint64_t yield_clocks = 700;    // duration of a YIELD if the warp has other paths, in clocks
constexpr std::uint64_t wake_clocks = 10;      // clocks until a warp continues after the last arrival at a barrier
constexpr std::uint32_t least_wavefronts = 1;  // least number of clocks that the pipe needs for an access
// number of clocks that ATOMS.CAS needs for each lane on the busiest bank
constexpr std::uint32_t swap_wavefronts = 4;

// The clocks that Nsight Compute's own code takes before one instruction of a single warp while Nsight Compute counts.
// Loops of these instructions were timed on an H100 while Nsight Compute collected the counters of its source page. The
// values were then fitted to half of the rows of data/sm_90/contention.csv.zst.
struct probe_clocks {
  // clocks for an access, and additional tenths of a clock for each distinct word that it accesses
  std::uint32_t each, tenths_a_word;
};
constexpr std::uint32_t piece_probe = 740;    // clocks before the first instruction of straight code
constexpr std::uint32_t branch_probe = 1200;  // clocks before a branch with a guard
constexpr std::uint32_t jump_probe = 550;     // clocks before a branch without a guard
constexpr std::uint32_t meeting_probe = 588;  // before a WARPSYNC
constexpr std::uint32_t guarded_probe = 633;  // clocks before any other instruction with a guard
// clocks before loads of 32 bits, and before loads of 64 bits
constexpr probe_clocks load_probe[]{{1200, 218}, {1138, 524}};
constexpr probe_clocks spin_probe[]{{1292, 0}, {1251, 0}};
constexpr probe_clocks swap_probe{2164, 79};
constexpr probe_clocks update_probe{1704, 96};
// Nsight Compute's code runs in steps of about this many clocks. During a part of each step, no other warp of the
// multiprocessor can run.
constexpr std::uint32_t probe_step = 500;
constexpr std::uint64_t probe_share = 650, probe_share_of_a_lane = 4, probe_shares = 10000;
// the parts in which no other warp can run are added up in units of 1/16 clock
constexpr std::uint64_t clock_parts = 16;

// The distance in clocks between warps that leave a barrier. `apart` applies if each scheduler has one warp,
// `apart_of_many` if a scheduler has several warps.
constexpr std::uint64_t apart = 10, apart_of_many = 59;
constexpr std::uint64_t one_order = 12;  // seed of the assumed order of warps; this seed fits best of all tried seeds

// The fields are missing if the code was analysed but cannot be executed.
bool is_swap(const micro_op& u) {
  const auto* const fields = std::get_if<sass::memory_access>(&u.fields);
  return (u.op == opcode::ATOMS_CAST || u.op == opcode::ATOMS_CAS || u.op == opcode::ATOMS) && fields != nullptr &&
         fields->is_swap;
}
bool is_barrier(const micro_op& u) {
  return u.op == opcode::BAR_II || u.op == opcode::BAR_RR || u.op == opcode::BAR_RI || u.op == opcode::BAR_IR;
}

bool is_meeting(const micro_op& u) { return u.op == opcode::WARPSYNC_R || u.op == opcode::WARPSYNC_I; }
bool is_jump(const micro_op& u) { return u.op == opcode::BRA || u.op == opcode::EXIT || is_meeting(u); }

// The clocks of Nsight Compute's code before the instruction, except the clocks for the instruction's memory access.
std::uint32_t probe_of(const micro_op& u) {
  const bool is_guarded = u.guard != 7 || u.uniform_guard;
  std::uint32_t clocks = 0;
  if (u.op == opcode::BRA)
    clocks = is_guarded ? branch_probe : jump_probe;
  else if (is_guarded)
    clocks = guarded_probe;
  return clocks + (is_meeting(u) ? meeting_probe : 0);
}
probe_clocks access_probe_of(const micro_op& u, const sass::memory_access& f) {
  const std::size_t wide = f.bytes == 8 ? 1 : 0;
  return u.op == opcode::LDS ? load_probe[wide] : f.spins ? spin_probe[wide] : is_swap(u) ? swap_probe : update_probe;
}

// The clocks of an instruction, from the instruction's encoding and kind.
competing_op op_of(const micro_op& u, const sass::instruction& i, competing is) {
  competing_op op{.is = is};
  const sass::schedule s = i.schedule();
  op.stall = static_cast<std::uint8_t>(std::max(1u, s.stall));
  op.waits = static_cast<std::uint8_t>(s.waits);
  op.done = static_cast<std::uint8_t>(s.when_done);
  op.read = static_cast<std::uint8_t>(s.when_read);
  op.probe = (is == competing::from_here ? piece_probe : 0) + probe_of(u);
  const auto* const f = std::get_if<sass::memory_access>(&u.fields);
  if (!sass::may_touch_shared(u.op) || f == nullptr) return op;
  op.latency = static_cast<std::uint8_t>((f->spins     ? spin_latency
                                          : is_swap(u) ? swap_latency
                                                       : load_latency) +
                                         (f->bytes == 8 ? wide_latency : 0));
  const probe_clocks access = access_probe_of(u, *f);
  op.probe_each = static_cast<std::uint16_t>(access.each);
  op.probe_tenths_a_word = static_cast<std::uint16_t>(access.tenths_a_word);
  return op;
}

// The clocks between a barrier of the whole block and the moment when a warp continues. The order of several warps of a
// scheduler is unknown, so an order is assumed.
std::uint64_t after_barrier(std::size_t warp, std::size_t warps) {
  if (warps == 2) return (1 - warp) * apart;
  if (warps <= 4) return warp * apart;
  return apart_of_many * warps * (mixed_bits(warp + one_order) % 1024) / 1024;
}

// Marks the instructions in loops around compare-and-swaps. A loop is recognised by its backward jump.
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

std::shared_ptr<const competing_code> find_competing_code(const decoded_section& section) {
  std::vector<bool> before = loops_of(section);
  if (before.empty()) return nullptr;
  std::vector<bool> after = before;
  const std::size_t count = section.ops.size();
  // Sets `before` to the code that leads to a loop, and `after` to the code that follows a loop. Follows only jumps
  // with a fixed target. The two searches together also find the code around other jumps, calls and returns.
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
      if (!after[n] || is_barrier(section.ops[n])) continue;
      for (const std::size_t to : {target(n), std::min(n + 1, count - 1)})
        if (!after[to]) after[to] = changed = true;
    }
  }
  std::vector<competing> code(count, competing::no);
  for (std::size_t n = 0; n < count; ++n)
    if (before[n] || (after[n] && !is_barrier(section.ops[n]))) code[n] = competing::yes;
  const auto begin_piece = [&](std::size_t n) {
    if (n < count && code[n] != competing::no) code[n] = competing::from_here;
  };
  for (std::size_t n = 0; n < count; ++n) {
    if (!is_jump(section.ops[n])) continue;
    begin_piece(n + 1);
    if (section.ops[n].op == opcode::BRA && target(n) != n) begin_piece(target(n));
  }
  auto found = std::make_shared<competing_code>();
  for (std::size_t n = 0; n < count; ++n)
    found->ops.push_back(code[n] == competing::no ? competing_op{}
                                                  : op_of(section.ops[n], section.instruction_at(n), code[n]));
  return found;
}

void competition::start(std::size_t warps, std::uint64_t blocks) {
  clocks_.assign(warps, {});
  blocks_ = blocks;
  places_ = (warps + schedulers - 1) / schedulers;
  ready_.assign(places_ * schedulers, never);
  schedulers_.fill({.latest = places_});
  pipe_ = probes_ = now_ = 0;
}

void competition::set_next(std::size_t warp, const competing_op* next) {
  clocks_[warp].op = next;
  find_ready(warp);
}

// Computes when the warp can issue, from its stall counts and scoreboards.
void competition::find_ready(std::size_t warp) {
  const warp_clock& c = clocks_[warp];
  std::uint64_t at = c.op != nullptr ? c.next : never;
  for (std::uint32_t waits = c.op != nullptr ? c.op->waits : 0; waits != 0; waits &= waits - 1)
    at = std::max(at, c.scoreboard[static_cast<std::size_t>(std::countr_zero(waits))]);
  ready_[warp % schedulers * places_ + warp / schedulers] = at;
  schedulers_[warp % schedulers].is_known = false;
}

// A scheduler keeps its warp as long as this warp can continue. Then it selects the oldest warp.
void competition::choose(std::size_t number) {
  scheduler& s = schedulers_[number];
  const std::uint64_t* const ready = &ready_[number * places_];
  std::uint64_t least = never;
  for (std::size_t n = 0; n < places_; ++n) least = std::min(least, ready[n]);
  s.is_known = true;
  s.at = std::max(least, s.free);
  s.chosen = s.latest;
  if (least == never) return;
  if (s.chosen == places_ || ready[s.chosen] > s.at)
    for (s.chosen = 0; ready[s.chosen] > s.at;) ++s.chosen;
}

std::optional<competition::turn> competition::first() {
  std::size_t first = 0;
  for (std::size_t n = 0; n < schedulers; ++n) {
    if (!schedulers_[n].is_known) choose(n);
    if (schedulers_[n].at < schedulers_[first].at) first = n;
  }
  const scheduler& s = schedulers_[first];
  if (s.at == never) return {};
  return turn{s.chosen * schedulers + first, s.at};
}

bool competition::probe(std::size_t warp, const competing_op& op, const probed& what) {
  warp_clock& c = clocks_[warp];
  if (!c.is_probed) {
    const std::uint32_t access = what.words != 0 ? op.probe_each + op.probe_tenths_a_word * what.words / 10 : 0;
    const std::uint32_t clocks = (op.probe + access) * std::max(1u, what.paths);
    if (clocks == 0) return false;
    c.is_probed = true;
    c.steps = std::max(1u, (clocks + probe_step / 2) / probe_step);
    c.step = clocks / c.steps;
  } else if (c.steps == 0) {
    return false;
  }
  const std::uint64_t start = std::max(what.at * clock_parts, probes_);
  probes_ = start + c.step * (probe_share + probe_share_of_a_lane * what.lanes) * blocks_ * clock_parts / probe_shares;
  c.next = start / clock_parts + c.step;
  --c.steps;
  find_ready(warp);
  return true;
}

void competition::issue(std::size_t warp, const competing_op& op, const issued& how) {
  warp_clock& c = clocks_[warp];
  scheduler& on = schedulers_[warp % schedulers];
  now_ = how.at;
  on.latest = warp / schedulers;
  on.free = now_ + 1;
  on.is_known = false;
  c.is_probed = false;
  c.next = now_ + op.stall + (how.yields ? yield_clocks : 0) + (how.fences ? fence_clocks : 0);
  std::uint64_t done = now_ + other_latency, read = now_ + operand_latency;
  if (how.wavefronts != 0) {
    pipe_ = std::max(pipe_, now_) + std::max(least_wavefronts, how.wavefronts);
    read = pipe_;
    done = pipe_ + op.latency;
  }
  const auto set = [&](std::size_t number, std::uint64_t at) {
    if (number < c.scoreboard.size()) c.scoreboard[number] = std::max(c.scoreboard[number], at);
  };
  set(op.done, done);
  set(op.read, read);
}

void competition::wake(std::size_t warp) {
  warp_clock& c = clocks_[warp];
  if (!c.waits) return;
  c.waits = false;
  c.next = std::max(c.next, now_ + wake_clocks + after_barrier(warp, clocks_.size()));
}

std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u) {
  const auto& f = u.as<sass::memory_access>();
  if (f.spins) return f.bytes == 8 ? 3 : 2;
  if (a.what.mask == 0) return 1;
  // if false, lanes with the same address are served together
  const bool counts_all = is_swap(u);
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
