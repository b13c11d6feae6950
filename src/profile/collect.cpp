#include "profile/collect.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "cubin/program.hpp"
#include "model/remedies.hpp"
#include "rule/clocks.hpp"

namespace bankwise {

namespace {

// limit for the warps that are recorded in a compare-and-swap loop
constexpr std::size_t most_inside = std::size_t{1} << 16;

// Whether the second access is the first access, shifted by a multiple of the granule.
bool same_pattern(const access& a, const access& b, u32 granule) {
  if (a.op != b.op || a.mask != b.mask || a.mask == 0) return false;
  u32 first = 0;
  while ((a.mask >> first & 1) == 0) ++first;
  const u32 shift = b.address[first] - a.address[first];
  if (shift % granule != 0) return false;
  u32 differ = 0;
  if (a.mask == full_mask) {
    for (u32 i = 0; i < lanes_per_warp; ++i) differ |= b.address[i] - a.address[i] - shift;
  } else {
    for (u32 i = 0; i < lanes_per_warp; ++i) differ |= (b.address[i] - a.address[i] - shift) & (0u - (a.mask >> i & 1));
  }
  return differ == 0;
}

// Whether the sources of two copies with the same pattern have the same cost. The sources must be equal, or shifted by
// whole lines.
bool same_source(const copy_source& a, const copy_source& b, u32 mask) {
  if (a.may_fill != b.may_fill || ((a.reads ^ b.reads) & mask) != 0) return false;
  mask &= a.reads;
  u32 first = 0;
  while (first < lanes_per_warp && (mask >> first & 1) == 0) ++first;
  if (first == lanes_per_warp) return true;
  const u32 shift = b.address[first] - a.address[first];
  u32 differ = shift % line_bytes;
  for (u32 i = first; i < lanes_per_warp; ++i) differ |= (b.address[i] - a.address[i] - shift) & (0u - (mask >> i & 1));
  return differ == 0;
}

// Returns a number that is equal for copies with the same pattern and the same cost.
std::uint64_t hash_of_copy(const access& a, const copy_source& from, u32 granule) {
  std::uint64_t h = a.mask * 0x9e3779b97f4a7c15u ^ (from.may_fill ? 1 : 0);
  const auto add = [&](const u32(&address)[lanes_per_warp], u32 lanes, u32 together) {
    h = (h ^ lanes) * 0x9e3779b97f4a7c15u;
    if (lanes == 0) return;
    const u32 first = address[std::countr_zero(lanes)], moved = first - first % together;
    for (u32 rest = lanes; rest != 0; rest &= rest - 1)
      h = (h ^ (address[std::countr_zero(rest)] - moved)) * 0x9e3779b97f4a7c15u;
  };
  add(a.address, a.mask, granule);
  add(from.address, a.mask & from.reads, line_bytes);
  return h ^ h >> 32;
}

// Compares the costs of two accesses: first by the wavefronts that a better layout could save, then by all wavefronts.
bool is_worse(const cost& a, const cost& b) {
  const u32 above_a = a.wavefronts - a.reachable, above_b = b.wavefronts - b.reachable;
  return above_a != above_b ? above_a > above_b : a.wavefronts > b.wavefronts;
}

// Whether the operation is an atomic. For an atomic, a program can combine the lanes that use one word, or give each
// lane a separate word.
bool is_atomic(op_kind k) { return k == op_kind::atomic || k == op_kind::compare_and_swap || k == op_kind::cas_spin; }

// Returns the access with a separate word for each lane. These words are adjacent.
access by_lane(access a) {
  for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = i * a.op.width_bytes;
  return a;
}

bool updates(op_kind k) { return is_atomic(k) || k == op_kind::increment; }

byte_range touched_by(const access& a) {
  byte_range r;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((a.mask >> i & 1) != 0) r.add(a.address[i], a.address[i] + a.op.width_bytes);
  return r;
}

void touch(collector::tally& t, const access& a, std::uint64_t block, u32 warp) {
  const byte_range bytes = touched_by(a);
  if (is_atomic(a.op.kind)) t.touched.add(bytes);
  if (warp >= t.of_warp.size()) t.of_warp.resize(warp + 1);
  auto& of_warp = t.of_warp[warp];
  if (of_warp.block != block) of_warp = {block, {}};
  of_warp.touched.add(bytes);
  t.warp_span = std::max(t.warp_span, of_warp.touched.bytes());
}

// Adds the executions of a pattern that are missing in the counts.
void count(counts& sum, collector::tally::pattern& p) {
  sum.wavefronts += p.times * p.value.wavefronts;
  sum.ideal += p.times * p.value.ideal;
  sum.reachable += p.times * p.value.reachable;
  sum.ncu_wavefronts += p.times * p.page.wavefronts;
  sum.ncu_ideal += p.times * p.page.ideal;
  sum.layout_floor += p.times * p.floor;
  sum.combined += p.times * p.combined;
  sum.by_lane += p.times * p.by_lane;
  sum.best_cycles += p.times * p.best_cycles;
  sum.passes += p.times * p.value.passes;
  sum.cycles += p.times * p.value.cycles;
  p.times = 0;
}

// Finds the cost with the best layout. For a copy that bypasses L1, no layout saves time, because such a copy does not
// use the shared pipe.
void find_best(collector::tally::pattern& p, const bank_model& m) {
  const u32 wavefronts = std::max({p.floor, p.value.passes, return_cycles(p.what.op)});
  p.best_cycles = std::min(p.value.cycles, clocks_of(wavefronts, m));
}

collector::tally::pattern price(const access& a, const machine& on, const fast_rule& cost_of) {
  collector::tally::pattern p;
  p.what = a;
  p.value = cost_of(a);
  p.page = source_page(a, p.value, on.model);
  p.floor = shares_words(a.op.kind) ? p.value.reachable : layout_floor(a, on.model);
  p.combined = p.by_lane = p.value.wavefronts;
  if (is_atomic(a.op.kind) && p.value.wavefronts != p.value.reachable) {
    p.combined = cost_of(combined(a)).wavefronts;
    p.by_lane = std::min(p.value.wavefronts, cost_of(by_lane(a)).wavefronts);
  }
  find_best(p, on.model);
  return p;
}

// For an atomic that leaves its words to later instructions. The source page shows the wavefronts of an atomic on these
// words (data/sm_90/line_checks.csv.zst), so it keeps them.
void leave_words(collector::tally::pattern& p, const bank_model& m) {
  const u32 passes = refused_wavefronts(p.what.op.kind);
  p.value.wavefronts = p.value.ideal = p.value.reachable = p.value.passes = passes;
  p.value.cycles = clocks_of(passes, m);
  p.floor = p.combined = p.by_lane = passes;
  find_best(p, m);
}

// Adds the cost of the source of a copy.
void add_source(collector::tally::pattern& p, const copy_source& from, const machine& on) {
  p.from = from;
  p.value = analyze(p.what, from, on.model);
  p.combined = p.by_lane = p.value.wavefronts;
  p.page = source_page(p.what, from, p.value, on.model);
  p.floor = p.what.op.kind == op_kind::copy_async_cg ? p.value.reachable
                                                     : std::max(p.floor, source_floor(p.what, from, on.model));
  find_best(p, on.model);
}

void keep_worst(collector::tally& t, const collector::tally::pattern& p) {
  // If costs are equal, the access of the lowest block is kept, because the blocks of a sample are not executed in
  // order.
  if (t.has_worst && !is_worse(p.value, t.worst_cost) && (is_worse(t.worst_cost, p.value) || p.block >= t.worst_block))
    return;
  t.worst = p.what;
  t.worst_from = p.from;
  t.worst_cost = p.value;
  t.worst_block = p.block;
  t.has_worst = true;
}

bool is_one_lane(u32 mask) { return (mask & (mask - 1)) == 0; }

// Returns the largest number of lanes in one phase that use the same bank.
u32 most_in_a_bank(const access& a, const bank_model& m) {
  if (is_one_lane(a.mask)) return count_lanes(a.mask);
  const u32 size = phase_lanes(a, m);
  u32 most = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u8 crowds[most_banks] = {};
    for (u32 lanes = a.mask & lane_range(first, size); lanes != 0; lanes &= lanes - 1) {
      u8& crowd = crowds[a.address[std::countr_zero(lanes)] / m.bank_bytes % m.banks];
      most = std::max<u32>(most, ++crowd);
    }
  }
  return most;
}

// Returns the largest number of lanes with the same address.
u32 longest_queue(const access& a) {
  if (is_one_lane(a.mask)) return count_lanes(a.mask);
  u32 longest = 0;
  for (u32 left = a.mask; left != 0;) {
    const u32 address = a.address[std::countr_zero(left)];
    u32 queue = 0;
    for (u32 i = 0; i < lanes_per_warp; ++i) queue |= static_cast<u32>(a.address[i] == address) << i;
    queue &= left;
    longest = std::max(longest, count_lanes(queue));
    left &= ~queue;
  }
  return longest;
}

// Begins the record of a warp that enters a compare-and-swap loop.
collector::tally::entry enter(const access& a, const bank_model& m) {
  collector::tally::entry e;
  e.what = a;
  e.combined = combined(a);
  e.pending = a.mask;
  e.queue = longest_queue(a);
  // A cas_spin serves one lane of each bank at a time. A compare_and_swap serves all active lanes, so `crowd` is 0.
  if (a.op.kind == op_kind::cas_spin) e.crowd = most_in_a_bank(a, m);
  e.alone = a.op.kind == op_kind::cas_spin ? most_in_a_bank(e.combined, m) : 1;
  return e;
}

// Ends the record of a warp that leaves the loop. Adds the record to the sums.
void leave(retries& r, const collector::tally::entry& e) {
  if (e.rounds == 0) return;
  const u32 by_queue = std::min(e.rounds, e.queue), by_crowd = std::min(e.rounds, std::max(e.queue, e.crowd));
  ++r.entries;
  r.rounds += e.rounds;
  r.queued += by_queue - 1;
  r.conflicting += by_crowd - by_queue;
  r.contended += e.rounds - by_crowd;
  r.combined += std::min(e.rounds, e.alone);
  r.most = std::max<std::uint64_t>(r.most, e.rounds);
}

// Adds what is still missing in the counts: patterns, and warps in loops.
void finish(collector::tally& t) {
  for (collector::tally::pattern& p : t.recent) count(t, p);
  for (const auto& [warp, e] : t.inside) leave(t.again, e);
  t.inside.clear();
}

// Returns the bytes of shared memory that an operation moves for one warp.
std::uint64_t bytes_of(const async_operation& o) {
  const async_cost cost = analyze(o);
  return o.kind == async_kind::wgmma ? cost.bank_reads * 4 / warps_per_group : (cost.bank_reads + cost.bank_writes) * 4;
}

}  // namespace

collector::collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes, bool blocks_repeat)
    : on_(on),
      cost_of_(on.model),
      row_bytes_(std::uint32_t{on.model.banks} * std::max(on.model.row_bytes, on.model.bank_bytes)),
      turn_bytes_(on.model.row_bytes == on.model.bank_bytes ? on.model.bank_bytes : row_bytes_),
      tallies_(code_begin, code_bytes),
      blocks_repeat_(blocks_repeat) {}

void collector::on_access(const emulate::shared_access& a) { on_repeats(a, 1); }

void collector::on_repeats(const emulate::shared_access& a, std::uint64_t times) {
  tally& t = tallies_[a.pc];
  t.executed += times;
  t.lanes += a.lanes * times;
  t.op = a.what.op;
  t.generic = a.generic;
  if (a.what.mask == 0) return;
  if (updates(a.what.op.kind)) touch(t, a.what, block_, a.warp);
  if (a.generic) {
    t.shared_executed += times;
    t.shared_lanes += count_lanes(a.what.mask) * times;
  }
  const tally::pattern& before = t.recent[t.last];
  // The first access of a lower block is looked at, because it may be the worst access of the report.
  if (block_ < before.block || !same_pattern(before.what, a.what, row_bytes_) ||
      (is_copy(a.what.op.kind) && !same_source(before.from, a.from, a.what.mask)))
    judge(t, a);
  t.recent[t.last].times += times;
}

void collector::on_async(const emulate::async_event& e) {
  tally& t = tallies_[e.pc];
  ++t.executed;
  t.lanes += e.lanes;
  t.async = e.what;
  if (!e.done) return;
  ++t.async_done;
  const std::uint64_t bytes = bytes_of(e.what);
  t.bytes += bytes;
  // Executions of wgmma differ in their number of bytes, so sites.cpp computes the passes.
  if (e.what.kind == async_kind::wgmma) return;
  t.byte_passes += (bytes + wavefront_bytes - 1) / wavefront_bytes;
  t.passes += analyze(e.what).tensor_cycles;
}

void collector::on_swap(const emulate::shared_access& a, std::uint32_t stored) {
  if (a.what.mask == 0) return;
  tally& t = tallies_[a.pc];
  // If the table of warps is full, all recorded warps are treated as having left the loop.
  if (t.inside.size() == most_inside) {
    for (const auto& [warp, e] : t.inside) leave(t.again, e);
    t.inside.clear();
  }
  const auto known = t.inside.find({block_, a.warp});
  if (known != t.inside.end() && (a.what.mask & ~known->second.pending) == 0) {
    tally::entry& e = known->second;
    ++e.rounds;
    e.pending &= ~stored;
    if (e.pending != 0) return;
    leave(t.again, e);
    t.inside.erase(known);
    return;
  }
  if (known != t.inside.end()) leave(t.again, known->second);
  tally::entry e = enter(a.what, on_.model);
  meet(t, a.warp, e);
  e.rounds = 1;
  e.pending &= ~stored;
  if (e.pending != 0) {
    t.inside.insert_or_assign({block_, a.warp}, e);
    return;
  }
  leave(t.again, e);  // most warps leave the loop after the first round
  if (known != t.inside.end()) t.inside.erase(known);
}

// Counts the retries that the entering warp and the block's other warps in the loop can cause. When one of two warps
// stores a word that both warps want, the other warp must retry. This function increases two counts of counts.def:
//   hindered       Lanes of a warp that want the same word are combined first. Each word that both warps want can cause
//                  one retry.
//   lane_hindered  Each lane has its own copy of the words. Each lane that wants the same word in both warps can cause
//                  one retry.
void collector::meet(tally& t, std::uint32_t warp, const tally::entry& e) const {
  for (auto at = t.inside.lower_bound({block_, 0}); at != t.inside.end() && at->first.first == block_; ++at) {
    const tally::entry& other = at->second;
    if (at->first.second == warp) continue;
    // If two warps want the same words, their lanes fail and succeed together.
    u32 lanes = 0;
    for (u32 i = 0; i < lanes_per_warp; ++i)
      lanes += (e.what.mask >> i & other.what.mask >> i & 1) != 0 && e.what.address[i] == other.what.address[i] ? 1 : 0;
    const bool alike = e.what.mask == other.what.mask && lanes == count_lanes(e.what.mask);
    t.again.lane_hindered += alike ? 1 : lanes;
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      if ((e.combined.mask >> i & 1) == 0) continue;
      for (u32 j = 0; j < lanes_per_warp; ++j)
        t.again.hindered += (other.combined.mask >> j & 1) != 0 && e.what.address[i] == other.what.address[j] ? 1 : 0;
    }
  }
}

// Finds the cost of an access. Its pattern becomes the most recent pattern.
void collector::judge(tally& t, const emulate::shared_access& event) {
  const access& a = event.what;
  const bool copies = is_copy(a.op.kind);
  // A copy has more patterns than other accesses, because its destination and its source both have patterns.
  constexpr auto most_places = static_cast<unsigned>(std::tuple_size_v<decltype(t.recent)>);
  const unsigned places = copies ? most_places : most_places / 2;
  const u32 granule = copies ? row_bytes_ : turn_bytes_;
  for (unsigned back = 0; back < places; ++back) {
    const unsigned i = (t.last + back) % places;
    if (!same_pattern(t.recent[i].what, a, granule) || (copies && !same_source(t.recent[i].from, event.from, a.mask)))
      continue;
    t.last = i;
    if (block_ >= t.recent[i].block) return;
    t.recent[i].what = a;
    t.recent[i].from = event.from;
    t.recent[i].block = block_;
    keep_worst(t, t.recent[i]);
    return;
  }
  t.last = (t.last + 1) % places;
  tally::pattern& p = t.recent[t.last];
  count(t, p);
  if (copies) {
    price_copy(t, p, event);
  } else {
    p = price(a, on_, cost_of_);
    if (event.refused) leave_words(p, on_.model);
  }
  p.block = block_;
  keep_worst(t, p);
}

// Sets `p` to the pattern of a copy, with its cost.
void collector::price_copy(tally& t, tally::pattern& p, const emulate::shared_access& event) {
  constexpr std::size_t most_copies = 128;
  const std::uint64_t hash = hash_of_copy(event.what, event.from, row_bytes_);
  for (const auto& [its, known] : t.copies)
    if (its == hash && same_pattern(known.what, event.what, row_bytes_) &&
        same_source(known.from, event.from, event.what.mask)) {
      p = known;
      p.what = event.what;
      p.from = event.from;
      return;
    }
  p = price(event.what, on_, cost_of_);
  if (event.refused) leave_words(p, on_.model);
  add_source(p, event.from, on_);
  if (t.copies.size() < most_copies) t.copies.emplace_back(hash, p);
}

void collector::tally::add(const access& a, const copy_source* from, std::uint64_t times, std::uint64_t block,
                           const machine& on) {
  pattern p = price(a, on, fast_rule(on.model));
  if (from != nullptr) add_source(p, *from, on);
  p.times = times;
  p.block = block;
  if (is_atomic(a.op.kind)) touched.add(touched_by(a));
  keep_worst(*this, p);
  count(*this, p);
}

const std::map<std::uint64_t, collector::tally>& collector::tallies() {
  for (auto& [pc, t] : tallies_.all()) {
    finish(t);
    t += t.before.sum;
    t.again += t.before.again;
    t.async_done += t.before.async_done;
    t.before = {};
  }
  return tallies_.all();
}

void collector::on_block_end(std::uint64_t times) {
  for (auto& [pc, t] : tallies_.all()) {
    finish(t);
    if (times != 1) {
      scale(t, times, 1);
      scale(t.again, times, 1);
    }
    t.before.sum += t;
    t.before.again += t.again;
    t.before.async_done += t.async_done * times;
    static_cast<counts&>(t) = {};
    t.again = {};
    t.async_done = 0;
  }
}

void collector::add(collector& other) {
  for (const auto& [pc, from] : other.tallies()) {
    tally& to = tallies_[pc];
    if (from.op.width_bytes != 0) to.op = from.op;
    if (from.async.kind != async_kind::none) to.async = from.async;
    to.async_done += from.async_done;
    to.generic |= from.generic;
    to += from;
    to.again += from.again;
    to.touched.add(from.touched);
    to.warp_span = std::max(to.warp_span, from.warp_span);
    // If costs are equal, the access of the lowest block is kept. The result then does not depend on the number of
    // workers.
    if (!from.has_worst) continue;
    const bool take = !to.has_worst || is_worse(from.worst_cost, to.worst_cost) ||
                      (!is_worse(to.worst_cost, from.worst_cost) && from.worst_block < to.worst_block);
    if (!take) continue;
    to.worst = from.worst;
    to.worst_from = from.worst_from;
    to.worst_cost = from.worst_cost;
    to.worst_block = from.worst_block;
    to.has_worst = true;
  }
}

}  // namespace bankwise
