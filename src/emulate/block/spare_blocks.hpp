// Keeps ended blocks, which this launch or the next launch of the same code can reuse. Reused registers need no
// allocation, and only the few registers that the code writes must be cleared.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "emulate/block/block_state.hpp"

namespace bankwise::emulate {

class spare_blocks {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;  // limit for all kept blocks together, in bytes

  // Null if no block is available.
  std::unique_ptr<block_state> take() {
    const std::lock_guard lock(mutex_);
    if (all_.empty()) return nullptr;
    std::unique_ptr<block_state> one = std::move(all_.back());
    all_.pop_back();
    bytes_ -= bytes_of(*one);
    return one;
  }
  void give_back(std::unique_ptr<block_state> one) {
    const std::size_t bytes = bytes_of(*one);
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > most_bytes) return;
    bytes_ += bytes;
    all_.push_back(std::move(one));
  }
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  static std::size_t bytes_of(const block_state& b) {
    std::size_t bytes = sizeof b + b.shared.capacity();
    for (const warp& w : b.warps) bytes += sizeof w + w.registers.capacity() * sizeof(lane_row) + w.local.capacity();
    return bytes;
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<block_state>> all_;
  std::size_t bytes_ = 0;
};

}  // namespace bankwise::emulate
