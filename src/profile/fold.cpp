#include "profile/fold.hpp"

#include <algorithm>
#include <functional>

namespace bankwise {

namespace {

bool same_access(const access& a, const access& b) {
  return a.op == b.op && a.mask == b.mask && std::equal(std::begin(a.address), std::end(a.address), b.address);
}

bool same_source(const copy_source& a, const copy_source& b) {
  return a.reads == b.reads && a.may_fill == b.may_fill &&
         std::equal(std::begin(a.address), std::end(a.address), b.address);
}

// But for the accesses, which may have been kept of one of them.
bool same_counts(const site& a, const site& b) {
  return a.pc == b.pc && a.function == b.function && a.executed_at_least == b.executed_at_least && a.async == b.async &&
         static_cast<const counts&>(a) == static_cast<const counts&>(b) && a.within == b.within &&
         a.generic == b.generic && a.again == b.again && a.span_bytes == b.span_bytes &&
         a.warp_span_bytes == b.warp_span_bytes && same_access(a.worst, b.worst) &&
         same_source(a.worst_from, b.worst_from);
}

bool same_site(const site& a, const site& b) {
  return same_counts(a, b) && std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(),
                                         [](const recorded_access& x, const recorded_access& y) {
                                           return x.count == y.count && same_access(x.what, y.what);
                                         });
}

// The same, whatever allocation it is beside.
bool same_out_of_bounds(const out_of_bounds_access& a, const out_of_bounds_access& b) {
  return a.place == b.place && a.direction == b.direction && a.count == b.count && a.lanes == b.lanes &&
         a.block == b.block && a.thread == b.thread;
}

// Whether its counts are all that is said of it.
bool is_plain(const launch_report& l) {
  return !l.scaled && !l.partial && l.assumed == 0 && !l.after_sample && l.hazards.empty() && l.out_of_bounds.empty() &&
         l.launches_seen == 0 && l.lost_accesses == 0 && !l.has_accesses;
}

bool same_shape(const launch_report& a, const launch_report& b) {
  return a.mangled == b.mangled && a.grid == b.grid && a.block == b.block && a.counted_alone == b.counted_alone &&
         a.static_shared_bytes == b.static_shared_bytes && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

// The counts of all launches that it stands for.
void multiply(launch_report& l) {
  for (site& s : l.sites) {
    scale(s, l.count, 1);
    scale(s.again, l.count, 1);
  }
  for (block_race& r : l.block_races) r.count *= l.count;
  l.ctas_executed *= l.count;
  l.sum.warp_instructions *= l.count;
}

void add(launch_report& all, launch_report l) {
  multiply(l);
  for (site& s : l.sites) {
    const auto same = std::find_if(all.sites.begin(), all.sites.end(),
                                   [&](const site& o) { return o.pc == s.pc && o.function == s.function; });
    if (same == all.sites.end()) {
      all.sites.push_back(std::move(s));
      continue;
    }
    static_cast<counts&>(*same) += s;
    same->again += s.again;
    same->executed_at_least |= s.executed_at_least;
    same->span_bytes = std::max(same->span_bytes, s.span_bytes);
    same->warp_span_bytes = std::max(same->warp_span_bytes, s.warp_span_bytes);
    if (s.worst_cost.wavefronts > same->worst_cost.wavefronts)
      same->worst = s.worst, same->worst_from = s.worst_from, same->worst_cost = s.worst_cost;
  }
  std::stable_sort(all.sites.begin(), all.sites.end(), [](const site& a, const site& b) {
    return a.function != b.function ? a.function < b.function : a.pc < b.pc;
  });
  for (const block_race& r : l.block_races) {
    const auto same = std::find_if(all.block_races.begin(), all.block_races.end(), [&](const block_race& o) {
      return o.kind == r.kind && o.first == r.first && o.second == r.second;
    });
    if (same == all.block_races.end())
      all.block_races.push_back(r);
    else
      same->count += r.count;
  }
  all.count += l.count;
  all.ctas_executed += l.ctas_executed;
  const std::uint64_t executed = all.sum.warp_instructions + l.sum.warp_instructions;
  all.sum = {};
  for (const site& s : all.sites) all.sum += s;
  all.sum.warp_instructions = executed;
}

}  // namespace

std::vector<added_launches> add_up(const std::vector<launch_report>& launches) {
  std::vector<added_launches> list;
  for (const launch_report& l : launches) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const added_launches& a) {
      // What was found for one of them is shown for all.
      return is_plain(l) && is_plain(a.all) && same_shape(a.all, l) && (l.fixes.empty() || a.all.fixes.empty()) &&
             (l.moves.empty() || a.all.moves.empty());
    });
    if (same == list.end()) {
      list.push_back({l});
      continue;
    }
    if (same->kinds++ == 1) multiply(same->all);
    if (same->all.fixes.empty()) same->all.fixes = l.fixes;
    if (same->all.moves.empty()) same->all.moves = l.moves;
    add(same->all, l);
  }
  return list;
}

bool same_result(const launch_report& a, const launch_report& b) {
  return a.mangled == b.mangled && a.grid == b.grid && a.block == b.block && a.kernel == b.kernel &&
         a.static_shared_bytes == b.static_shared_bytes && a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         a.registers == b.registers && a.ctas_executed == b.ctas_executed && a.scaled == b.scaled &&
         a.counted_alone == b.counted_alone && a.after_sample == b.after_sample && a.timed == b.timed &&
         a.within == b.within && a.partial == b.partial && a.ctas_begun == b.ctas_begun &&
         a.sum.warp_instructions == b.sum.warp_instructions &&
         (a.has_accesses != b.has_accesses || a.accesses_seen == b.accesses_seen) && a.checked == b.checked &&
         a.hazards == b.hazards && a.block_races == b.block_races &&
         std::equal(a.out_of_bounds.begin(), a.out_of_bounds.end(), b.out_of_bounds.begin(), b.out_of_bounds.end(),
                    same_out_of_bounds) &&
         std::equal(a.sites.begin(), a.sites.end(), b.sites.begin(), b.sites.end(),
                    a.has_accesses == b.has_accesses ? same_site : same_counts);
}

namespace {

std::size_t outline_of(const launch_report& l) {
  std::size_t h = std::hash<std::string>{}(l.mangled);
  for (const std::uint64_t n : {std::uint64_t{l.grid[0]}, std::uint64_t{l.grid[1]}, std::uint64_t{l.grid[2]},
                                std::uint64_t{l.block[0]}, std::uint64_t{l.block[1]}, std::uint64_t{l.block[2]},
                                std::uint64_t{l.dynamic_shared_bytes}, l.sum.warp_instructions, l.sum.wavefronts})
    h = (h ^ n) * 0x9e37'79b9'7f4a'7c15;
  return h;
}

// Of a launch with the same sites.
void take_accesses(launch_report& to, launch_report from) {
  for (std::size_t i = 0; i < to.sites.size(); ++i) {
    to.sites[i].accesses = std::move(from.sites[i].accesses);
    to.sites[i].passed = from.sites[i].passed;
  }
  to.has_accesses = true;
  to.accesses_seen = from.accesses_seen;
  to.accesses_kept = from.accesses_kept;
  to.arrays = std::move(from.arrays);
  to.not_executed = std::move(from.not_executed);
}

}  // namespace

std::optional<std::size_t> launch_finder::find(const report& r, const launch_report& l) const {
  std::optional<std::size_t> first;
  const auto [begin, end] = by_outline_.equal_range(outline_of(l));
  for (auto it = begin; it != end; ++it)
    if ((!first || it->second < *first) && same_result(r.launches[it->second], l)) first = it->second;
  return first;
}

std::size_t launch_finder::add(report& r, launch_report l) {
  if (const auto n = find(r, l)) {
    launch_report& there = r.launches[*n];
    there.count += l.count;
    there.assumed += l.assumed;
    if (l.has_accesses && !there.has_accesses) take_accesses(there, std::move(l));
    return *n;
  }
  by_outline_.emplace(outline_of(l), r.launches.size());
  r.launches.push_back(std::move(l));
  return r.launches.size() - 1;
}

}  // namespace bankwise
