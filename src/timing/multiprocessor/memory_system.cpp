#include "timing/multiprocessor/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bankwise::timing {

namespace {

// Latency of L2, DRAM and the host in a replay without latency. It is about the latency of L1.
constexpr double least_latency = 40;

// L2 replaces a line when about this multiple of its data was read since. What it replaces first is not known.
constexpr double certainly = 1.5;

}  // namespace

memory_system::memory_system(const gpu_parameters& p, const line_sharing& sharing, double l1_bytes, double active,
                             const free_resources& free)
    : p_(p),
      sharing_(sharing),
      free_(free),
      active_(active),
      l1_(static_cast<std::uint64_t>(l1_bytes)),
      l2_rate_(std::min(p.l2_port, p.l2_total / active)),
      store_rate_(std::min(p.l2_port, p.l2_store_total / active)),
      partial_rate_(std::min(p.l2_port, p.l2_partial_total / active)),
      dram_rate_(std::min(p.l2_port, p.dram_total / active)),
      alone_(p.dram_alone * (1 - std::min(1.0, active / p.multiprocessors))) {
  slices_.assign(static_cast<std::size_t>(p.update_slices), 0);
  slice_parts_ = sharing.updates_by_slice(slices_.size());
  const double written = sharing.written_bytes();
  // The previous launch accessed the same data. The data of its last accesses are still in L2.
  const double kept = sharing.is_mostly_shared() ? p.l2_bytes : p.l2_own_bytes;
  if (p.warm_caches != 0) cold_ = std::clamp(sharing.touched_bytes() / kept - 1, 0.0, 1.0);
  write_back_ = written > p.l2_dirty_bytes ? (written - p.l2_dirty_bytes) / written : 0;
  fill_ = written > p.l2_partial_bytes ? sharing.part_left_incomplete() * (written - p.l2_partial_bytes) / written : 0;
}

// Returns the time at which L2 has handled a request for sectors of one line. All loads and stores of all
// multiprocessors share the unit that looks up sectors.
double memory_system::look_up(double steps, double at) {
  if (free_.l2) return at;
  look_up_free_ = std::max(at, look_up_free_) + steps * active_ / p_.l2_steps;
  return look_up_free_;
}

// Returns the time at which the missing sectors arrive in L1.
memory_system::arrival memory_system::from_l2(line_sectors l, unsigned sectors, double at, const asked& by) {
  const double saved = by.saved;
  traffic.read_sectors += std::popcount(sectors);
  traffic.read_lines += 1;
  const double data = 32.0 * std::popcount(sectors) * by.part, bytes = data + p_.l2_request * by.part;
  const double merged = by.copies ? merged_requests(l, sectors) : 1;
  const double begins = std::max(at - saved, l2_free_),
               took = free_.l2 ? 0 : merged * bytes / (by.copies ? p_.copy_total / active_ : l2_rate_);
  l2_free_ = begins + took;
  l2_busy += took;
  double served = std::max(begins + took, look_up(merged * by.part, at - saved));
  if (!by.copies && saved != 0) {
    port_free_ = std::max(at, port_free_) + (free_.l2 ? 0 : bytes / p_.l2_port);
    served = std::max(served, port_free_);
  }
  if (by.copies) {
    port_free_ = std::max(at, port_free_) + (free_.l2 ? 0 : std::max(data / p_.copy_port, p_.copy_line * by.part));
    served = std::max(served, port_free_);
  }
  const double done = served + (free_.latency ? least_latency : p_.l2_latency);
  const arrival dram = from_dram(l, sectors, at, saved, by.is_later, by.is_bulk ? p_.bulk_shared : 0);
  return {std::max(done, dram.done), std::max(served, dram.sent), dram.again};
}

// Brings a line into L2. Later loads of the line wait until it has arrived.
void memory_system::prefetch(line_sectors l, double at) {
  const arrival dram = from_dram(l, sectors_of(l), look_up(p_.l2_prefetch_steps, at));
  arrival& there = brought_[line_number(l)].prefetched;
  there = {std::max(there.done, dram.done), std::max(there.sent, dram.sent)};
}

// Returns the part of the requests for a line that reaches L2. Neighbouring multiprocessors that request a line at the
// same time send one request.
double memory_system::merged_requests(line_sectors l, unsigned sectors) const {
  return std::max(sharing_.of(line_number(l), sectors).together, 1 / p_.copy_merges);
}

// Returns the time at which the missing sectors arrive in L2. Returns 0 if no sector is missing.
memory_system::arrival memory_system::from_dram(line_sectors l, unsigned sectors, double at, double saved,
                                                bool is_later, double earlier) {
  // DRAM returns two sectors in each transfer.
  brought_line& brought = brought_[line_number(l)];
  const line_sharing::share s = sharing_.of(line_number(l), sectors);
  const double stays = (s.blocks > 1.5 ? p_.l2_bytes : p_.l2_own_bytes) / active_;
  const unsigned sent_before = kept_bytes_ - brought.at > certainly * stays ? brought.sectors : 0;
  if (kept_bytes_ - brought.at > stays) brought.sectors = 0;  // newer lines have replaced the line
  // L2 reserves space for a whole line, even if the line contains only some of its sectors.
  if (brought.sectors == 0) kept_bytes_ += 128 * s.dram;
  brought.at = kept_bytes_;
  const unsigned pairs = ((sectors & 3) != 0 ? 3u : 0u) | ((sectors & 12) != 0 ? 12u : 0u),
                 fresh = pairs & ~brought.sectors;
  if (fresh == 0) return brought.prefetched;
  brought.sectors |= fresh;
  if (is_later && sharing_.was_read_earlier(line_number(l))) return {};
  const double bytes = 32.0 * std::popcount(fresh) * s.dram,
               again = 32.0 * std::popcount(fresh & sent_before) * s.dram * cold_;
  traffic.dram_read += bytes * cold_;
  const double from = free_.dram ? 0 : bytes * cold_ * (fresh == 15 ? 1 : p_.dram_half_line) / dram_rate_ * slowed();
  const double begins = std::max(at - saved, dram_free_);
  dram_free_ = begins + from;
  dram_busy += from;
  // Data from DRAM are written to L2 through the same port as stores.
  store_free_ = std::max(store_free_, at - saved) + (free_.l2 ? 0 : bytes * cold_ / store_rate_);
  // If DRAM gets more requests, each request takes longer, because requests do not arrive evenly.
  const double load = std::min(1.0, dram_busy / std::max(at, 1000.0));
  // DRAM needs time to change between reading and writing.
  const double all = traffic.dram_read + traffic.dram_written, part = all == 0 ? 0 : traffic.dram_written / all;
  const double queue =
      p_.dram_queue * (p_.dram_queue_linear != 0 ? load : load * load) * (1 + p_.dram_turns * part * part);
  // An access that is long after another block's first access finds the line in L2.
  if ((s.is_there && s.blocks > 1.5) || cold_ <= 0.5) return {.again = again};
  if (!s.is_known || s.blocks <= 1.5) earlier = 0;
  const double sent = std::max({begins + from, store_free_, saved != 0 ? port_free_ : 0});
  return {sent + (free_.latency ? least_latency : p_.dram_latency - alone_ + queue - earlier), sent, again};
}

// Returns the factor by which DRAM takes longer because it changes between reads and writes.
double memory_system::slowed() const {
  const double all = traffic.dram_read + traffic.dram_written, part = all == 0 ? 0 : traffic.dram_written / all;
  return 1 + 4 * p_.dram_mixed * part * (1 - part);
}

double memory_system::to_l2(line_sectors l, bool in_part, const asked& by, double at) {
  // If few instructions are between stores of a warp to one sector, these stores are merged into one store to L2.
  pending_store& last = pending_[line_number(l)];
  if (last.warp != by.warp || last.loads != by.loads ||
      by.step > last.step + static_cast<std::uint64_t>(p_.store_joins))
    last = {by.warp, by.step, by.loads, 0};
  last.step = by.step;
  const unsigned unsent = by.lines <= p_.store_lines ? sectors_of(l) & ~last.sectors : sectors_of(l);
  if (unsent == 0) return store_free_;
  last.sectors |= unsent;
  l = (l & ~line_sectors{15}) | unsent;
  const int sectors = std::popcount(sectors_of(l));
  traffic.stored_sectors += sectors;
  traffic.stored_lines += 1;
  if (in_part) traffic.stored_in_part += sectors;
  const double bytes = 32.0 * sectors;
  const double sends = p_.send_sector * sectors + (in_part ? p_.send_part : 0);
  const double took = free_.l2 ? 0 : std::max(sends, bytes / (in_part ? partial_rate_ : store_rate_));
  // L2 looks up the line and each sector. If a sector is stored in part, L2 also merges the bytes.
  const double steps = 1 + sectors + (in_part ? p_.l2_merge_steps * sectors : 0);
  store_busy += std::max(took, free_.l2 ? 0 : steps * active_ / p_.l2_steps);
  sent_ = std::max(at, sent_) + (free_.l2 ? 0 : sends);
  store_free_ = std::max(std::max(at, store_free_) + took, look_up(steps, at));
  const double more = write_back_ + (in_part ? fill_ : 0);
  if (more != 0 && !free_.dram) {
    unsigned& stored = stored_[line_number(l)];
    const unsigned fresh = sectors_of(l) & ~stored;
    double back = 32.0 * std::popcount(fresh) * more / dram_rate_;
    back *= sharing_.of(line_number(l), sectors_of(l)).dram;
    traffic.dram_written += back * dram_rate_;
    back *= slowed();
    // DRAM transfers at least 64 bytes
    if (in_part && std::popcount(sectors_of(l)) <= 2) back *= 2 * p_.dram_half_line;
    stored |= sectors_of(l);
    dram_free_ = std::max(at, dram_free_) + back;
    dram_busy += back;
    store_free_ = std::max(store_free_, dram_free_);
  }
  return store_free_;
}

// Handles atomics and reductions. A request to L2 is for one sector, and contains at most one lane for each word. If
// several lanes update one word, L2 gets additional requests. Each slice of L2 serves the requests of all
// multiprocessors one after another.
double memory_system::update(const launch_trace& t, const traced_access& a, const asked& by, double at) {
  unsigned sectors = 0;
  for (std::uint32_t i = 0; i < a.lines; ++i) sectors += std::popcount(sectors_of(t.lines[a.first_line + i]));
  traffic.updated_sectors += sectors;
  if (sectors == 0 || free_.l2) return at;
  double requests = t.requests_of(a);
  if (requests == 0)
    requests = std::min<double>(std::max(by.lanes, sectors), sectors * std::max<unsigned>(1, a.same_word));
  double clocks = p_.update_clocks;
  if (requests < by.lanes && by.swaps) clocks = p_.update_swap_clocks;
  if (requests < by.lanes && by.adds_floats && a.bytes == 8) clocks = p_.update_double_clocks;
  const double swapped = by.retries ? swap(t, a, by, at) : 0;
  double end = store_free_ = std::max(at, store_free_) + requests * active_ / p_.update_total;
  double busy = requests * active_ / p_.update_total;
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    const line_sectors l = t.lines[a.first_line + i];
    const double own = requests * std::popcount(sectors_of(l)) / sectors;
    end = std::max(end, from_dram(l, sectors_of(l), at).done - p_.dram_latency);
    const line_sharing::share s = sharing_.of(line_number(l), sectors_of(l));
    // The number of multiprocessors that update these sectors, including this one.
    const double others = s.is_known && s.dram > 0 ? std::clamp(1 / s.dram, 1.0, active_) : 1;
    if (by.adds_floats) {
      double& until = added_[line_number(l)];
      until = std::max(until, at) + own / std::popcount(sectors_of(l)) * p_.update_float_clocks * others;
      end = std::max(end, until);
    }
    // At this time, other multiprocessors execute different code. They update slices that this multiprocessor updates
    // later or earlier.
    double& until = slices_[slice_of(line_number(l), slices_.size())];
    until = std::max(until, at) + own * clocks;
    if (others > 1)
      for (std::size_t n = 0; n < slices_.size(); ++n)
        if (slice_parts_[n] != 0) slices_[n] = std::max(slices_[n], at) + own * clocks * (others - 1) * slice_parts_[n];
    busy = std::max(busy, own * clocks * others);
    end = std::max(end, until);
  }
  store_busy += busy;
  end = std::max(end, swapped);
  updated_ = std::max(updated_, end);
  return end;
}

// Handles compare-and-swap loops. If several warps try to swap a word, one of them succeeds. All other warps need one
// more iteration to notice this. The trace contains the iterations of a warp without competitors. An iteration takes
// longer if more lanes compete.
double memory_system::swap(const launch_trace& t, const traced_access& a, const asked& by, double at) {
  const std::uint64_t word = t.word_of(a);
  const double others = std::max(1.0, sharing_.part_updating(word) * active_);
  swapped_word& s = swapped_[word];
  std::erase_if(s.waiting, [at](double until) { return until <= at; });
  if (others <= 1 && s.waiting.empty()) {
    s.until = std::max(s.until, at);
    s.waiting.push_back(at + p_.swap_turn);
    return at;
  }
  const double lanes = by.lanes * static_cast<double>(s.waiting.size() + 1) * others;
  const double turn = std::max(p_.swap_turn, p_.swap_lanes * std::pow(lanes, 0.7));
  s.until = std::max(s.until, at) + turn * others;
  s.waiting.push_back(s.until);
  return s.until - p_.l2_latency;
}

// Accesses memory of the host over PCIe, which all multiprocessors share equally. L1 keeps the loaded data, as for
// device memory.
memory_system::answer memory_system::access_host(const launch_trace& t, const traced_access& a, const asked& by,
                                                 double at) {
  answer r{at, at};
  const double latency = free_.latency ? least_latency : p_.host_latency;
  if (a.does == memory_action::update) {
    // Updates of one word are executed one after another, even if different multiprocessors make them.
    const std::uint64_t word = t.word_of(a);
    double& until = host_words_[word];
    const double others = std::max(1.0, sharing_.part_updating(word) * active_);
    until = std::max(until, at) + (free_.l2 ? 0 : p_.host_update_clocks * a.same_word * others);
    host_write_free_ = std::max(host_write_free_, at) + by.lanes * active_ / p_.host_update_total;
    r.done = std::max(until, host_write_free_) + latency;
    updated_ = std::max(updated_, r.done);
    return r;
  }
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    const line_sectors l = t.lines[a.first_line + i];
    const double rate = a.does == memory_action::store ? p_.host_write_total : p_.host_read_total;
    const double took = free_.l2 ? 0 : 32.0 * std::popcount(sectors_of(l)) * active_ / rate;
    if (a.does == memory_action::store) {
      host_write_free_ = std::max(host_write_free_, at) + took;
      r.accepts = std::max(r.accepts, host_write_free_ - latency);
      updated_ = std::max(updated_, host_write_free_ + p_.host_end);
      continue;
    }
    sector_cache::entry* e = by.past_l1 ? nullptr : l1_.find(line_number(l));
    const unsigned missing = e != nullptr ? sectors_of(l) & ~e->sectors : sectors_of(l);
    if (e != nullptr) r.done = std::max(r.done, e->arrives);
    if (missing == 0) continue;
    host_read_free_ = std::max(host_read_free_, at) + took;
    const double there = arrival{host_read_free_ + latency, host_read_free_}.when(by);
    r.done = std::max(r.done, there);
    if (!by.past_l1) l1_.keep(e, line_number(l), missing, there);
  }
  return r;
}

memory_system::answer memory_system::access(const launch_trace& t, const traced_access& a, const asked& by, double at) {
  if (a.space == memory_space::host) return access_host(t, a, by, at);
  answer r{arrival{at + p_.l1_latency, at}.when(by), at};
  // All multiprocessors make their first loads at the same time, so nothing is saved for them.
  if (by.saved != 0 && l2_free_ == 0 && a.space != memory_space::bulk) {
    l2_free_ = at;
    dram_free_ = std::max(dram_free_, at);  // earlier stores may keep DRAM busy
  }
  if (a.does == memory_action::update) {
    const double end = update(t, a, by, at);
    return {end + p_.l2_latency, std::max(at, end - p_.update_window), 0};
  }
  unsigned sectors = 0;
  if (a.does == memory_action::store)
    for (std::uint32_t i = 0; i < a.lines; ++i) sectors += std::popcount(sectors_of(t.lines[a.first_line + i]));
  const bool in_part =
      (a.space == memory_space::global || a.space == memory_space::local) && by.lanes * a.bytes < 32 * sectors;
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    line_sectors l = t.lines[a.first_line + i];
    if (by.copy != 0 && sharing_.is_of_few(line_number(l), sectors_of(l)))
      l += std::uint64_t{by.copy} << (line_bits + 4);
    if (a.does == memory_action::prefetch) {
      prefetch(l, at);
      continue;
    }
    if (a.does == memory_action::store) {
      r.accepts = std::max(r.accepts, to_l2(l, in_part, by, at) - p_.store_window);
      // L1 keeps the words of a thread's own memory, which later loads read.
      if (a.space == memory_space::local && !by.past_l1)
        l1_.keep(l1_.find(line_number(l)), line_number(l), sectors_of(l), at + p_.l1_latency);
      continue;
    }
    unsigned missing = sectors_of(l);
    if (a.space != memory_space::bulk) l1_sectors += std::popcount(missing);
    sector_cache::entry* e = by.past_l1 ? nullptr : l1_.find(line_number(l));
    if (e != nullptr) {
      missing &= ~e->sectors;
      if (missing != sectors_of(l)) r.done = std::max(r.done, e->arrives);
    }
    l1_hits += std::popcount(sectors_of(l) & ~missing);
    if (missing == 0) continue;
    r.filled += 32.0 * std::popcount(missing);
    const arrival data = from_l2(l, missing, at, by);
    if (data.again != 0) traffic.dram_again[a.code] += data.again;
    const double there = data.when(by);
    r.done = std::max(r.done, there);
    if (!by.past_l1) l1_.keep(e, line_number(l), missing, there);
  }
  return r;
}

}  // namespace bankwise::timing
