// Passes the first blocks of a launch to a listener, with a limited number of accesses for each block. These accesses
// are enough to search for a layout. The search then takes no longer for larger launches.
//
// The first blocks are those with the lowest positions in the order in which blocks begin. The number of workers has no
// influence on these positions, so the blocks are the same for every number of workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "emulate/launch/listeners.hpp"

namespace bankwise {

inline constexpr std::uint64_t most_first_blocks = 8;
inline constexpr std::uint64_t most_accesses_a_block = std::uint64_t{1} << 15;

template <class Listener>
class of_first_blocks : public emulate::passing_listener {
 public:
  // `by_class`: whether only some blocks are executed and represent the remaining blocks. Then it is not known before
  // the end of the launch which of these blocks are the first. So each block gets its own listener, and the listeners of
  // all blocks but the first are dropped.
  template <class... Arguments>
  explicit of_first_blocks(bool by_class, Arguments&&... arguments)
      : silent_(std::forward<Arguments>(arguments)...), hears_ends_(silent_.wants().block_ends), by_class_(by_class) {}

  emulate::wanted_events wants() const override {
    emulate::wanted_events wanted = silent_.wants();
    wanted.block_ends = true;
    return wanted;
  }
  void on_next(const next_block& b) override {
    now_ = nullptr;
    const bool is_full = heard_.size() == most_first_blocks;
    is_past_ = by_class_ ? is_full && b.order > std::prev(heard_.end())->first : b.order >= most_first_blocks;
    if (is_past_) {
      // It ends together with the first blocks of its cluster.
      if (is_running(b.cluster)) running_[b.block] = {.cluster = b.cluster};
      return;
    }
    if (by_class_ && is_full) heard_.erase(std::prev(heard_.end()));
    part& to = heard_.try_emplace(by_class_ ? b.order : 0, silent_).first->second;
    ++to.blocks;
    running_[b.block] = {.cluster = b.cluster, .to = &to};
  }
  bool has_enough() const override { return is_past_ && running_.empty(); }
  void on_block(std::uint64_t block) override {
    const auto found = running_.find(block);
    now_ = found == running_.end() ? nullptr : &found->second;
    if (now_ != nullptr && now_->to != nullptr) now_->to->heard.on_block(block);
  }
  void on_block_end(std::uint64_t times) override {
    if (now_ == nullptr) return;
    if (now_->to != nullptr && hears_ends_) now_->to->heard.on_block_end(times);
    const std::uint64_t ended = now_->cluster;
    std::erase_if(running_, [=](const auto& r) { return r.second.cluster == ended; });
    now_ = nullptr;
  }
  void on_access(const emulate::shared_access& a) override {
    if (takes_more()) now_->to->heard.on_access(a);
  }
  void on_async(const emulate::async_event& e) override {
    if (takes_more()) now_->to->heard.on_async(e);
  }

  void add(const of_first_blocks& other) {
    for (const auto& [order, from] : other.heard_) {
      part& to = heard_.try_emplace(order, silent_).first->second;
      to.heard.add(from.heard);
      to.blocks += from.blocks;
      to.is_cut |= from.is_cut;
    }
    while (heard_.size() > most_first_blocks) heard_.erase(std::prev(heard_.end()));
  }
  Listener heard() const {
    Listener all = silent_;
    for (const auto& [order, from] : heard_) all.add(from.heard);
    return all;
  }
  // Whether the listener missed events of a launch that ran `ran` blocks.
  bool is_cut(std::uint64_t ran) const {
    std::uint64_t blocks = 0;
    bool is_cut = false;
    for (const auto& [order, from] : heard_) blocks += from.blocks, is_cut |= from.is_cut;
    return is_cut || blocks < ran;
  }

 private:
  struct part {
    explicit part(const Listener& silent) : heard(silent) {}
    Listener heard;
    std::uint64_t blocks = 0;
    bool is_cut = false;  // whether a block has more accesses than the limit
  };
  struct running_block {
    std::uint64_t cluster = 0, accesses = 0;
    part* to = nullptr;
  };
  bool is_running(std::uint64_t cluster) const {
    return std::any_of(running_.begin(), running_.end(), [=](const auto& r) { return r.second.cluster == cluster; });
  }
  bool takes_more() {
    if (now_ == nullptr || now_->to == nullptr) return false;
    if (now_->accesses == most_accesses_a_block) now_->to->is_cut = true;
    return now_->accesses != most_accesses_a_block && ++now_->accesses != 0;
  }

  const Listener silent_;  // has heard nothing; the other listeners are copies of it
  const bool hears_ends_, by_class_;
  bool is_past_ = false;
  std::map<std::uint64_t, part> heard_;  // by position if `by_class_` is set, otherwise one part for all blocks
  std::map<std::uint64_t, running_block> running_;  // by number: the first blocks whose clusters have not ended
  running_block* now_ = nullptr;
};

}  // namespace bankwise
