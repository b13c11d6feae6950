#include "timing/memory_system.hpp"

#include <algorithm>
#include <bit>

namespace bankwise::timing {

memory_system::memory_system(const gpu_parameters& p, const line_sharing& sharing, double l1_bytes, double active,
                             const free_resources& free)
    : p_(p),
      sharing_(sharing),
      free_(free),
      active_(active),
      l1_(static_cast<std::uint64_t>(l1_bytes)),
      l2_rate_(std::min(p.l2_port, p.l2_total / active)),
      store_rate_(std::min(p.l2_port, p.l2_store_total / active)),
      dram_rate_(std::min(p.l2_port, p.dram_total / active)) {
  const double written = sharing.written_bytes();
  write_back_ = written > p.l2_dirty_bytes ? (written - p.l2_dirty_bytes) / written : 0;
}

// When the sectors of a line that L1 does not have arrive.
double memory_system::from_l2(line_sectors l, unsigned sectors, double at, std::uint64_t instructions) {
  const double bytes = 32.0 * std::popcount(sectors);
  const double begins = std::max(at, l2_free_), took = free_.l2 ? 0 : bytes / l2_rate_;
  l2_free_ = begins + took;
  l2_busy += took;
  double done = begins + took + (free_.latency ? 40 : p_.l2_latency);
  // DRAM gives two sectors at a time.
  unsigned& brought = brought_[line_number(l)];
  const unsigned pairs = ((sectors & 3) != 0 ? 3u : 0u) | ((sectors & 12) != 0 ? 12u : 0u), fresh = pairs & ~brought;
  if (fresh == 0) return done;
  brought |= fresh;
  const line_sharing::share s = sharing_.of(line_number(l));
  const double from = free_.dram ? 0 : 32.0 * std::popcount(fresh) * s.dram / dram_rate_;
  const double dram_begins = std::max(at, dram_free_);
  dram_free_ = dram_begins + from;
  dram_busy += from;
  // The more DRAM has to do, the longer it takes: what all ask for does not come evenly.
  const double load = std::min(1.0, dram_busy / std::max(at, 1000.0));
  // Who comes long after the first finds it in L2.
  constexpr std::uint64_t meanwhile = 400;
  const bool is_there = s.is_known && s.blocks > 1.5 && instructions > s.first + meanwhile;
  if (!is_there)
    done = std::max(done, dram_begins + from + (free_.latency ? 40 : p_.dram_latency + p_.dram_queue * load * load));
  return done;
}

double memory_system::to_l2(line_sectors l, double at) {
  const double bytes = 32.0 * std::popcount(sectors_of(l));
  const double took = free_.l2 ? 0 : bytes / store_rate_;
  store_free_ = std::max(at, store_free_) + took;
  store_busy += took;
  if (write_back_ != 0 && !free_.dram) {
    unsigned& stored = stored_[line_number(l)];
    const double back = 32.0 * std::popcount(sectors_of(l) & ~stored) * write_back_ / dram_rate_;
    stored |= sectors_of(l);
    dram_free_ = std::max(at, dram_free_) + back;
    dram_busy += back;
    store_free_ = std::max(store_free_, dram_free_);
  }
  return store_free_;
}

memory_system::answer memory_system::access(const launch_trace& t, const traced_access& a, const asked& by, double at) {
  answer r{at + p_.l1_latency, at};
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    line_sectors l = t.lines[a.first_line + i];
    if (by.copy != 0 && sharing_.of(line_number(l)).blocks < 1.5) l += std::uint64_t{by.copy} << 54;
    if (a.does == memory_action::store) {
      r.accepts = std::max(r.accepts, to_l2(l, at) - p_.store_window);
      continue;
    }
    if (a.does == memory_action::update) {
      const double all = to_l2(l, at);
      const line_sharing::share s = sharing_.of(line_number(l));
      double& until = updated_[line_number(l)];
      const double others = s.is_known ? std::clamp(s.blocks * s.dram, 1.0, active_) : 1;
      until = std::max(until, at) + (free_.l2 ? 0 : a.same_word * p_.atomic_interval * others);
      const double end = std::max(all, until);
      r.done = std::max(r.done, end + p_.l2_latency);
      r.accepts = std::max(r.accepts, end - p_.store_window);
      continue;
    }
    unsigned missing = sectors_of(l);
    l1_sectors += std::popcount(missing);
    sector_cache::entry* e = by.past_l1 ? nullptr : l1_.find(line_number(l));
    if (e != nullptr) {
      missing &= ~e->sectors;
      if (missing != sectors_of(l)) r.done = std::max(r.done, e->arrives);
    }
    l1_hits += std::popcount(sectors_of(l) & ~missing);
    if (missing == 0) continue;
    r.filled += 32.0 * std::popcount(missing);
    const double there = from_l2(l, missing, at, by.instructions);
    r.done = std::max(r.done, there);
    if (by.past_l1) continue;
    if (e == nullptr) e = &l1_.place(line_number(l));
    e->sectors |= missing;
    e->arrives = std::max(e->arrives, there);
  }
  return r;
}

}  // namespace bankwise::timing
