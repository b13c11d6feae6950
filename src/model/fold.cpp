#include "model/fold.hpp"

#include <algorithm>
#include <functional>

namespace bankwise {

namespace {

// Returns a hash of a launch's kernel and size, which are equal in all launches that are added up.
std::size_t hash_of_shape(const launch_report& l) {
  std::size_t h = std::hash<std::string>{}(l.mangled);
  for (const std::uint32_t n :
       {l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.dynamic_shared_bytes})
    h = (h ^ n) * 0x9e37'79b9'7f4a'7c15;
  return h;
}

}  // namespace

std::vector<added_launches> add_up(const std::vector<launch_report>& launches) {
  std::vector<added_launches> list;
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_shape;  // value: indices in `list`, in their order
  for (const launch_report& l : launches) {
    std::vector<std::size_t>& candidates = by_shape[hash_of_shape(l)];
    const auto there = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t i) {
      const added_launches& a = list[i];
      // After merging, the findings of one launch would be shown for all merged launches. Launches are therefore merged
      // only if at most one of them has findings.
      return is_plain(l) && is_plain(a.all) && same(a.all, l, tells::shape) &&
             (l.fixes.empty() || a.all.fixes.empty()) && (l.moves.empty() || a.all.moves.empty());
    });
    if (there == candidates.end()) {
      candidates.push_back(list.size());
      list.push_back({l});
      continue;
    }
    added_launches& sum = list[*there];
    if (sum.kinds++ == 1) multiply(sum.all);
    add_launch(sum.all, l);
  }
  return list;
}

// Compares the accesses only if they were kept for both launches or for none.
bool same_result(const launch_report& a, const launch_report& b) {
  return same(a, b, a.has_accesses == b.has_accesses ? tells::accesses : tells::result);
}

std::size_t outline_of(const launch_report& l) {
  std::size_t h = std::hash<std::string>{}(l.mangled);
  for (const std::uint64_t n : {std::uint64_t{l.grid[0]}, std::uint64_t{l.grid[1]}, std::uint64_t{l.grid[2]},
                                std::uint64_t{l.block[0]}, std::uint64_t{l.block[1]}, std::uint64_t{l.block[2]},
                                std::uint64_t{l.dynamic_shared_bytes}, l.sum.warp_instructions, l.sum.wavefronts})
    h = (h ^ n) * 0x9e37'79b9'7f4a'7c15;
  for (const site& s : l.sites)
    for (const std::uint64_t n : {s.pc, s.executed, s.lanes, s.wavefronts, s.reachable, std::uint64_t{s.worst.mask}})
      h = (h ^ n) * 0x9e37'79b9'7f4a'7c15;
  return h;
}

namespace {

// Moves the accesses of an equal launch to `to`. Both launches must have the same sites.
void take_accesses(launch_report& to, launch_report from) {
  for (std::size_t i = 0; i < to.sites.size(); ++i) {
    to.sites[i].accesses = std::move(from.sites[i].accesses);
    to.sites[i].passed = from.sites[i].passed;
  }
  to.has_accesses = true;
  to.time_trace = std::move(from.time_trace);
  to.accesses_seen = from.accesses_seen;
  to.accesses_kept = from.accesses_kept;
  to.arrays = std::move(from.arrays);
  to.not_executed = std::move(from.not_executed);
}

// Moves the time of an equal launch to `to`, which has none.
void take_time(launch_report& to, launch_report& from) {
  to.time = std::move(from.time);
  to.time_missing = from.time_missing;
  for (std::size_t i = 0; i < to.sites.size(); ++i) {
    to.sites[i].stalls = std::move(from.sites[i].stalls);
    to.sites[i].saved_cycles = from.sites[i].saved_cycles;
  }
  for (std::size_t i = 0; i < to.global_sites.size(); ++i) {
    to.global_sites[i].stalls = std::move(from.global_sites[i].stalls);
    to.global_sites[i].saved_cycles = from.global_sites[i].saved_cycles;
  }
}

// Launches with equal accesses may execute other instructions, and then have different times.
bool may_have_one_time(const launch_report& a, const launch_report& b) {
  return !a.time || !b.time || a.time.cycles == b.time.cycles;
}

}  // namespace

std::optional<std::size_t> launch_finder::find(const report& r, const launch_report& l) const {
  std::optional<std::size_t> first;
  const auto [begin, end] = by_outline_.equal_range(outline_of(l));
  for (auto it = begin; it != end; ++it)
    if ((!first || it->second < *first) && same_result(r.launches[it->second], l) &&
        may_have_one_time(r.launches[it->second], l))
      first = it->second;
  return first;
}

std::size_t launch_finder::add_launch(report& r, launch_report l) {
  if (const auto n = find(r, l)) {
    launch_report& there = r.launches[*n];
    add_equal(there, l, found_in::one_report);
    if (!there.time && l.time) take_time(there, l);
    if (l.has_accesses && !there.has_accesses) take_accesses(there, std::move(l));
    return *n;
  }
  by_outline_.emplace(outline_of(l), r.launches.size());
  r.launches.push_back(std::move(l));
  return r.launches.size() - 1;
}

}  // namespace bankwise
