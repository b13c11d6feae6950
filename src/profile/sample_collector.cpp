#include "profile/sample_collector.hpp"

#include <algorithm>

#include "profile/sites.hpp"

namespace bankwise {

namespace {

void subtract(counts& from, const counts& what) {
  for (const count_row& r : count_rows)
    if (r.member != nullptr) from.*r.member -= what.*r.member;
}

void add_to(sample_collector::sums& to, const counts& one, std::uint64_t times) {
  for (const count_row& r : count_rows)
    if (r.member != nullptr) to.all.*r.member += one.*r.member * times;
  for (std::size_t i = 0; i < std::size(total_rows); ++i) to.totals[i].add(total_rows[i].of(one), times);
}

void add_to(sample_collector::by_class& to, const sample_collector::by_class& from) {
  for (const auto& [number, s] : from) {
    to[number].all += s.all;
    for (std::size_t i = 0; i < std::size(total_rows); ++i) to[number].totals[i].add(s.totals[i]);
  }
}

class_sums sums_of(const sample_collector::by_class& sample, std::size_t total) {
  class_sums list;
  for (const auto& [number, s] : sample) list[number] = s.totals[total];
  return list;
}

}  // namespace

sample_collector::sample_collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes,
                                   const std::array<std::uint32_t, 3>& grid,
                                   const std::array<std::uint32_t, 3>& cluster)
    : collector(on, code_begin, code_bytes), grid_(grid), cluster_(cluster) {
  for (std::size_t i = 0; i < 3; ++i) clusters_[i] = grid[i] / cluster[i];
}

std::uint64_t sample_collector::cluster_of(std::uint64_t block) const {
  const std::uint64_t x = block % grid_[0], y = block / grid_[0] % grid_[1], z = block / grid_[0] / grid_[1];
  return x / cluster_[0] + clusters_[0] * (y / cluster_[1] + clusters_[1] * (z / cluster_[2]));
}

void sample_collector::on_block(std::uint64_t block) {
  collector::on_block(block);
  const std::uint64_t next = cluster_of(block);
  if (begun_ && next != now_) settle();
  begun_ = true;
  now_ = next;
}

// Assigns the events since the last call to the last reported cluster.
void sample_collector::settle() {
  for (const auto& [pc, t] : tallies()) {
    if (t.generic && t.shared_executed == 0 && t.async.kind == async_kind::none) continue;  // no site
    counts sum = counts_of(t);
    counts& before = before_[pc];
    if (sum == before) continue;
    const counts all = sum;
    subtract(sum, before);
    before = all;
    pending_[now_][pc] += sum;
  }
}

void sample_collector::on_block_end(std::uint64_t times) {
  settle();
  const unsigned number = emulate::class_of(clusters_, now_);
  ended_[number] += times;
  begun_ = false;
  const auto it = pending_.find(now_);
  if (it == pending_.end()) return;
  counts launch;
  for (const auto& [pc, one] : it->second) {
    add_to(sites_[pc][number], one, times);
    launch += one;
  }
  add_to(launch_[number], launch, times);
  pending_.erase(it);
}

void sample_collector::add(sample_collector& other) {
  collector::add(other);
  for (const auto& [pc, from] : other.sites_) add_to(sites_[pc], from);
  add_to(launch_, other.launch_);
  for (std::size_t i = 0; i < ended_.size(); ++i) ended_[i] += other.ended_[i];
}

block_strata sample_collector::strata() const { return {emulate::class_sizes(clusters_), ended_}; }

void estimate_site(site& s, const block_strata& strata, const sample_collector::by_class& sample) {
  const std::uint64_t counted = s.executed;
  for (const count_row& r : count_rows) {
    if (r.member == nullptr) continue;
    class_sums one;
    for (const auto& [number, of] : sample) one[number].sum = of.all.*r.member;
    s.*r.member = estimate_of(strata, one).value;
    if (r.at_most != nullptr) s.*r.member = std::min(s.*r.member, s.*r.at_most);
  }
  if (counted != 0) scale(s.again, s.executed, counted);
  s.within = intervals_of(strata, sample);
  // A difference of counts is rounded in another way than the estimate of the difference.
  for (std::size_t i = 0; i < std::size(total_rows); ++i) include(s.within[i], total_rows[i].of(s));
}

std::vector<interval> intervals_of(const block_strata& strata, const sample_collector::by_class& launch) {
  std::vector<interval> list;
  for (std::size_t i = 0; i < std::size(total_rows); ++i)
    list.push_back(estimate_of(strata, sums_of(launch, i)).within);
  return list;
}

}  // namespace bankwise
