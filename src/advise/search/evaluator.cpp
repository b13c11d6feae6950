// Counts the wavefronts of layouts. A layout moves granules. The granule of each lane is found once. Each layout then
// needs only one look-up for each lane.
#include "advise/search/evaluator.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace bankwise::advise {

namespace {

// Returns a key that is equal for equal accesses. It does not contain inactive lanes, because their addresses do not
// matter.
std::vector<u32> key_of(const weighted_access& w) {
  std::vector<u32> key = {w.group, static_cast<u32>(w.what.op.kind), w.what.op.width_bytes, w.what.op.matrices,
                          w.what.mask};
  const u32 used = lanes_used(w.what);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((used >> lane & 1) != 0) key.push_back(w.what.address[lane]);
  return key;
}

// `low`: the lower bound for all layouts.
u32 floor_of_granules(const access& a, const bank_model& m, u32 granule, u32 low) {
  const u32 all_banks = u32{m.banks} * m.bank_bytes;
  // The bound below is valid only for banks that serve one row in each wavefront, and whose rows have one word each. A
  // granule must consist of two or more whole words, and a row of all banks must consist of whole granules. In all
  // other cases, and for cas_spin, only the general lower bound is known.
  if (granule <= m.bank_bytes || m.row_bytes != m.bank_bytes || granule % m.bank_bytes != 0 ||
      all_banks % granule != 0 || m.narrow != serving::rows_per_bank || m.wide != serving::rows_per_bank ||
      a.op.kind == op_kind::cas_spin)
    return low;
  const explanation e = explain(a, m);
  const u32 words = granule / m.bank_bytes, granules_a_row = all_banks / granule;
  u32 floor = 0;
  for (u32 p = 0; p < e.phases; ++p) {
    u32 by_place[most_bank_bytes * 4] = {}, most = 0, longest = 0;
    const phase& ph = e.phase_at[p];
    for (u32 i = ph.first_want; i < u32{ph.first_want} + ph.wants; ++i) {
      most = std::max(most, ++by_place[e.want_at[i].word % words]);
      u32 queue = 0;  // number of lanes that want this word and cannot share it
      for (u32 j = ph.first_want; j < u32{ph.first_want} + ph.wants; ++j)
        queue += e.want_at[j].word == e.want_at[i].word;
      longest = std::max(longest, queue);
    }
    floor += std::max({(most + granules_a_row - 1) / granules_a_row, longest, (ph.wants + m.banks - 1u) / m.banks});
  }
  if (a.op.kind == op_kind::compare_and_swap) floor *= 2;
  return std::min(std::max(floor, low), e.total.wavefronts);
}

}  // namespace

u32 granule_floor(const access& a, const bank_model& m, u32 granule) {
  return floor_of_granules(a, m, granule, layout_floor(a, m));
}

evaluator::evaluator(const problem& p) : cost_of_(p.on.model), granule_(granule_bytes(p)), groups_(p.groups.size()) {
  std::map<std::vector<u32>, std::size_t> seen;
  for (const weighted_access& w : p.accesses) {
    if (lanes_used(w.what) == 0) continue;
    const auto [at, is_new] = seen.try_emplace(key_of(w), accesses_.size());
    if (is_new)
      accesses_.push_back(w);
    else
      accesses_[at->second].weight += w.weight;
  }
  floor_by_group_.assign(groups_, 0);
  std::vector<std::uint64_t> floors(accesses_.size()), removable(accesses_.size());
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const weighted_access& w = accesses_[i];
    const u32 low = layout_floor(w.what, p.on.model), lowest = floor_of_granules(w.what, p.on.model, granule_, low);
    floors[i] = w.weight * lowest;
    removable[i] = w.weight * (cost_of_(w.what).wavefronts - low);
    floor_by_group_[w.group] += w.weight * low;
    granule_floor_ += floors[i];
  }
  floor_ = std::accumulate(floor_by_group_.begin(), floor_by_group_.end(), std::uint64_t{0});

  // The first accesses are those that reveal a bad layout early.
  std::vector<std::size_t> order(accesses_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return removable[a] > removable[b]; });
  std::vector<weighted_access> sorted;
  for (const std::size_t i : order) sorted.push_back(accesses_[i]);
  accesses_ = std::move(sorted);
  rest_floor_.assign(accesses_.size() + 1, 0);
  for (std::size_t i = accesses_.size(); i-- > 0;) rest_floor_[i] = rest_floor_[i + 1] + floors[order[i]];

  std::unordered_map<u32, u32> ids;
  id_.assign(accesses_.size() * lanes_per_warp, 0);
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const u32 used = lanes_used(accesses_[i].what);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if ((used >> lane & 1) == 0) continue;
      const u32 begin = accesses_[i].what.address[lane] / granule_ * granule_;
      const auto [at, is_new] = ids.try_emplace(begin, static_cast<u32>(granules_.size()));
      if (is_new) granules_.push_back(begin);
      id_[i * lanes_per_warp + lane] = at->second;
    }
  }
  if (granules_.empty()) granules_.push_back(0);  // inactive lanes use this granule
  moved_.resize(granules_.size());
  moved_in_.assign(granules_.size(), 0);
}

void evaluator::begin_layout() {
  if (++layout_ != 0) return;
  std::fill(moved_in_.begin(), moved_in_.end(), 0);
  layout_ = 1;
}

void evaluator::place(const relayout& layout, std::size_t index, access& to) {
  const access& from = accesses_[index].what;
  to.op = from.op;
  to.mask = from.mask;
  const u32* id = id_.data() + index * lanes_per_warp;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const u32 granule = id[lane];
    if (moved_in_[granule] != layout_) {
      moved_in_[granule] = layout_;
      moved_[granule] = layout(granules_[granule]);
    }
    to.address[lane] = moved_[granule] + from.address[lane] % granule_;
  }
}

std::uint64_t evaluator::wavefronts(const relayout& layout, std::uint64_t limit) {
  begin_layout();
  std::uint64_t sum = 0;
  access moved{};
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    place(layout, i, moved);
    sum += accesses_[i].weight * cost_of_(moved).wavefronts;
    ++judged_;
    if (sum + rest_floor_[i + 1] > limit) return sum + rest_floor_[i + 1];
  }
  return sum;
}

std::vector<std::uint64_t> evaluator::by_group(const relayout& layout) {
  begin_layout();
  std::vector<std::uint64_t> sums(groups_, 0);
  access moved{};
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    place(layout, i, moved);
    sums[accesses_[i].group] += accesses_[i].weight * cost_of_(moved).wavefronts;
  }
  return sums;
}

}  // namespace bankwise::advise
