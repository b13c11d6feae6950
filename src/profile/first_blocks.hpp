// Passes the first blocks of a launch to a listener, with a limited number of accesses for each block. These accesses
// are enough to search for a layout. The search then takes no longer for larger launches.
#pragma once

#include <cstdint>
#include <utility>

#include "emulate/launch/listeners.hpp"

namespace bankwise {

inline constexpr std::uint64_t most_first_blocks = 8;
inline constexpr std::uint64_t most_accesses_a_block = std::uint64_t{1} << 15;

template <class Listener>
class of_first_blocks : public emulate::passing_listener {
 public:
  // `by_class`: whether only some blocks are executed and represent the remaining blocks. If so, the listener gets the
  // first blocks of each worker.
  template <class... Arguments>
  explicit of_first_blocks(bool by_class, Arguments&&... arguments)
      : heard_(std::forward<Arguments>(arguments)...), by_class_(by_class) {}

  emulate::wanted_events wants() const override { return heard_.wants(); }
  bool has_enough() const override { return over_ || (by_class_ && blocks_ == most_first_blocks); }
  void on_block(std::uint64_t block) override {
    if (blocks_ == 0 || block != block_) {
      block_ = block;
      accesses_ = 0;
      over_ |= by_class_ ? blocks_ == most_first_blocks : block >= most_first_blocks;
      if (!over_) ++blocks_;
    }
    if (!over_) heard_.on_block(block);
  }
  void on_block_end(std::uint64_t times) override {
    if (!over_) heard_.on_block_end(times);
  }
  void on_access(const emulate::shared_access& a) override {
    if (takes_more()) heard_.on_access(a);
  }
  void on_async(const emulate::async_event& e) override {
    if (takes_more()) heard_.on_async(e);
  }

  void add(const of_first_blocks& other) {
    heard_.add(other.heard_);
    blocks_ += other.blocks_;
    cut_ |= other.cut_;
  }
  const Listener& heard() const { return heard_; }
  // Whether the listener missed events of a launch that ran `ran` blocks.
  bool is_cut(std::uint64_t ran) const { return cut_ || blocks_ < ran; }

 private:
  bool takes_more() {
    if (over_) return false;
    if (accesses_ == most_accesses_a_block) cut_ = true;
    return accesses_ != most_accesses_a_block && ++accesses_ != 0;
  }

  Listener heard_;
  bool by_class_, over_ = false, cut_ = false;
  std::uint64_t block_ = 0, blocks_ = 0, accesses_ = 0;
};

}  // namespace bankwise
