#include "profile/sync_checker.hpp"

namespace bankwise {

namespace {

hazard_kind kind_of(const emulate::misuse& u) {
  switch (u.kind) {
    case emulate::misuse_kind::mask_without_caller: return hazard_kind::mask_without_caller;
    case emulate::misuse_kind::mask_of_others: return hazard_kind::mask_of_others;
    case emulate::misuse_kind::mask_of_ended: return hazard_kind::mask_of_ended;
    case emulate::misuse_kind::divergent_barrier: return hazard_kind::divergent_barrier;
    case emulate::misuse_kind::skipped_barrier:
    case emulate::misuse_kind::left_barrier: return hazard_kind::skipped_barrier;
    case emulate::misuse_kind::inactive_lane: break;
  }
  return u.by_index ? hazard_kind::inactive_lane : hazard_kind::inactive_neighbour;
}

}  // namespace

void sync_checker::on_misuse(const emulate::misuse& u) {
  seen& s = found_[{kind_of(u), u.pc, u.pc_of_others != 0 ? u.pc_of_others : u.pc}];
  if (s.count++ != 0 && s.block <= block_) return;
  s.block = block_;
  s.first = u;
}

void sync_checker::seen::add(const seen& more) {
  const std::uint64_t both = count + more.count;
  if (count == 0 || more.block < block) *this = more;
  count = both;
}

void sync_checker::add(const sync_checker& other) {
  for (const auto& [k, from] : other.found_) found_[k].add(from);
}

std::map<sync_checker::key, sync_checker::seen> sync_checker::found(loaded_values& code) const {
  std::map<key, seen> needed;
  for (const auto& [k, s] : found_) {
    const auto& [kind, pc, other] = k;
    const bool reads_lanes = kind == hazard_kind::inactive_lane || kind == hazard_kind::inactive_neighbour;
    if (reads_lanes && !code.is_result_needed(pc)) continue;
    // Threads that return early end where the others do not come, or before the barrier, or meet the others only at the
    // end.
    if (s.first.kind == emulate::misuse_kind::skipped_barrier &&
        (!code.comes_to(pc, other) || code.comes_to(other, pc) || !code.has_work_after_both_ways(pc)))
      continue;
    // Lanes of the warp that only store something elsewhere have returned early. Otherwise, they loop.
    if (s.first.kind == emulate::misuse_kind::left_barrier &&
        (pc == other || code.comes_to(other, pc) || !code.loops_after(other) || code.has_work_after_both_ways(pc)))
      continue;
    const bool went_around = kind == hazard_kind::mask_of_ended && code.comes_to(pc, other);
    needed[{went_around ? hazard_kind::mask_of_others : kind, pc, other}].add(s);
  }
  return needed;
}

}  // namespace bankwise
