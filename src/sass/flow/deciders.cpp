#include "sass/flow/deciders.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace bankwise::sass {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 24;

class post_dominators {
 public:
  explicit post_dominators(const code_flow& code) : code_(code), end_(static_cast<std::uint32_t>(code.nodes.size())) {
    order_from_end();
    find_parents();
  }

  std::optional<deciders> decide() const {
    deciders d;
    d.by.resize(code_.nodes.size());
    d.meetings.resize(code_.nodes.size());
    std::size_t entries = 0;
    for (const std::uint32_t n : code_.order) {
      const std::span<const std::uint32_t> ways = ways_[n];
      if (ways.size() < 2) continue;
      places written;
      for (const std::uint32_t way : ways)
        for (std::uint32_t at = way; at != end_ && at != parent_[n]; at = parent_[at]) {
          if (!d.by[at].empty() && d.by[at].back() == n) continue;
          if (++entries > most_entries) return {};
          d.by[at].push_back(n);
          written |= code_.nodes[at].writes;
        }
      if (parent_[n] != end_) d.meetings[parent_[n]].push_back({n, written});
    }
    return d;
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  struct lists {
    std::vector<std::uint32_t> first, all;

    std::span<const std::uint32_t> operator[](std::uint32_t n) const {
      return std::span(all).subspan(first[n], first[n + 1] - first[n]);
    }
  };

  // Returns the successors of each instruction, sorted and without duplicates. If lanes can end at an instruction, the
  // end of the code is also a successor.
  lists find_ways() const {
    lists found;
    found.first.reserve(code_.nodes.size() + 2);
    for (std::uint32_t n = 0; n < end_; ++n) {
      found.first.push_back(static_cast<std::uint32_t>(found.all.size()));
      const flow_node& at = code_.nodes[n];
      if (!at.reached) continue;
      found.all.insert(found.all.end(), at.next.begin(), at.next.end());
      const bool may_end =
          at.traits.flow == flow::ends && (at.op == opcode::EXIT || at.op == opcode::KILL || at.op == opcode::BPT);
      if (at.next.empty() || may_end || is_endless_[n]) found.all.push_back(end_);
      const auto own = found.all.begin() + found.first.back();
      std::sort(own, found.all.end());
      found.all.erase(std::unique(own, found.all.end()), found.all.end());
    }
    found.first.insert(found.first.end(), 2, static_cast<std::uint32_t>(found.all.size()));
    return found;
  }
  lists ways_back() const {
    lists from;
    from.first.resize(code_.nodes.size() + 2);
    from.all.resize(ways_.all.size());
    for (const std::uint32_t way : ways_.all) ++from.first[way + 1];
    for (std::size_t n = 1; n < from.first.size(); ++n) from.first[n] += from.first[n - 1];
    std::vector<std::uint32_t> next = from.first;
    for (const std::uint32_t n : code_.order)
      for (const std::uint32_t way : ways_[n]) from.all[next[way]++] = n;
    return from;
  }
  // Returns the nodes from which lanes can reach the end. Apart from loops, a node comes after all of its successors.
  std::vector<std::uint32_t> after_all() const {
    const lists from = ways_back();
    std::vector<std::uint32_t> done;
    std::vector<bool> seen(code_.nodes.size() + 1);
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{end_, 0}};
    seen[end_] = true;
    while (!path.empty()) {
      auto& [at, k] = path.back();
      if (k == from[at].size()) {
        done.push_back(at);
        path.pop_back();
        continue;
      }
      const std::uint32_t to = from[at][k++];
      if (seen[to]) continue;
      seen[to] = true;
      path.emplace_back(to, 0);
    }
    return done;
  }
  void order_from_end() {
    const std::size_t count = code_.nodes.size();
    is_endless_.resize(count);
    ways_ = find_ways();
    order_ = after_all();
    if (order_.size() != code_.order.size() + 1) {
      for (const std::uint32_t n : code_.order) is_endless_[n] = true;
      for (const std::uint32_t n : order_)
        if (n != end_) is_endless_[n] = false;
      ways_ = find_ways();
      order_ = after_all();
    }
    std::reverse(order_.begin(), order_.end());
    number_.assign(count + 1, none);
    for (std::uint32_t k = 0; k < order_.size(); ++k) number_[order_[k]] = k;
  }

  // For each node, finds the nearest node that is on all paths to the end (Cooper, Harvey and Kennedy: A Simple, Fast
  // Dominance Algorithm).
  void find_parents() {
    parent_.assign(code_.nodes.size() + 1, none);
    parent_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t n : order_) {
        if (n == end_) continue;
        std::uint32_t found = none;
        for (std::uint32_t way : ways_[n]) {
          if (parent_[way] == none) continue;
          if (found == none) {
            found = way;
            continue;
          }
          while (found != way) {
            while (number_[found] > number_[way]) found = parent_[found];
            while (number_[way] > number_[found]) way = parent_[way];
          }
        }
        changed |= found != parent_[n];
        parent_[n] = found;
      }
    }
  }

  const code_flow& code_;
  const std::uint32_t end_;
  std::vector<bool> is_endless_;  // nodes in endless loops, where lanes are assumed to end
  lists ways_;
  std::vector<std::uint32_t> order_, number_, parent_;
};

}  // namespace

std::optional<deciders> deciders_of(const code_flow& code) { return post_dominators(code).decide(); }

}  // namespace bankwise::sass
