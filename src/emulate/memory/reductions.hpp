// Reductions in global memory by blocks that run in parallel. They are made in the order of the blocks, so that the
// real order does not matter.
//
//     block 0    RED  RED        at once: all blocks before it have ended
//     block 1    RED  RED  RED   kept, and made when block 0 has ended
//     block 2    RED  LDG        a load from memory that they change waits until block 1 has ended
//
// If a kernel only adds integers to an allocation, for example, any order gives the same result. Then each worker sums
// its own part, and adds it to memory after its last block. In a large allocation, reductions are made at once. So
// memory and counts equal those of blocks that run one after another, also for floats.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "emulate/memory/memory.hpp"
#include "sass/fields.hpp"

namespace bankwise::emulate {

// From one lane.
struct reduction {
  std::byte* place = nullptr;
  const sass::memory_access* how = nullptr;
  std::array<std::uint32_t, 4> operand{};
};
using reduction_maker = void (*)(const reduction&);

struct kept_reductions {
  std::vector<reduction> list;
  reduction_maker make = nullptr;  // the same function for all of them
};

struct reduced_region {
  const region* where = nullptr;
  // All accesses of the kernel to this region are one commutative operation on words of one size.
  bool commutes = false;
  friend bool operator==(const reduced_region&, const reduced_region&) = default;
};

// State that the workers of a launch share. Blocks are numbered in the order in which they begin, and each of them
// ends.
class reduction_order {
 public:
  // The allocations that reductions of the kernel may change. `alone`: there is only one worker.
  reduction_order(std::vector<reduced_region> changed, bool alone) : regions_(std::move(changed)), alone_(alone) {}

  // Null if they do not change it.
  const reduced_region* find(const region* r) const;
  bool is_alone() const { return alone_; }
  // All blocks before this one have ended.
  bool is_first(std::uint64_t n) const { return first_.load(std::memory_order_acquire) == n; }
  void wait_until_first(std::uint64_t n);
  // Keeps the block's pending reductions, which are made when it is the first block. Waits for that if too many are
  // pending.
  void end(std::uint64_t n, kept_reductions kept);

 private:
  const std::vector<reduced_region> regions_;
  const bool alone_;
  std::atomic<std::uint64_t> first_{0};
  std::mutex mutex_;  // guards the members below
  std::condition_variable moved_on_;
  std::map<std::uint64_t, kept_reductions> ended_;  // blocks that have ended, while earlier ones have not
  std::size_t kept_ = 0;                            // by them
};

// The sums of one worker's blocks for an allocation, so that workers do not wait for each other.
class partial_results {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  // False if updates should be made at once.
  static bool suits(const region& of, const sass::memory_access& how) {
    return of.bytes <= most_bytes && of.address % how.bytes == 0;
  }
  // `nothing`: the operand with which the operation changes no word.
  partial_results(const region& of, const sass::memory_access& how, std::uint64_t nothing);

  const region* of() const { return of_; }
  // The partial result for a word in memory.
  std::byte* at(std::uint64_t offset) {
    const std::uint64_t n = offset / piece_bytes;
    if (!begun_[n]) begin(n);
    return bytes_.data() + offset;
  }
  // Calls bring(address in memory, partial result) for each word that may have been updated.
  template <class F>
  void each(F bring) const {
    const std::uint64_t word = how_->bytes;
    for (std::uint64_t at = 0; at + word <= of_->bytes; at += word) {
      if (!begun_[at / piece_bytes])
        at += piece_bytes - word;
      else
        bring(of_->data + at, bytes_.data() + at);
    }
  }
  const sass::memory_access& how() const { return *how_; }

 private:
  static constexpr std::uint64_t piece_bytes = 1024;
  void begin(std::uint64_t piece);

  const region* of_;
  const sass::memory_access* how_;
  std::uint64_t nothing_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> begun_;  // by piece
};
using result_bringer = void (*)(const partial_results&);

// The reductions of the block that a worker runs.
class block_reductions {
 public:
  explicit block_reductions(reduction_order& all) : all_(&all) {}

  void begin(std::uint64_t n) { n_ = n; }
  void end() { all_->end(n_, std::exchange(kept_, {})); }

  const reduced_region* find(const region* r) const { return all_->find(r); }
  bool is_alone() const { return all_->is_alone(); }
  // Whether this is the first block. Then its pending reductions have been made, and further ones are made at once.
  bool is_first();
  void wait_until_first();
  void keep(const reduction& r, reduction_maker make);

  // The worker's part of an allocation whose updates commute and are all of this kind; null if it has none yet.
  partial_results* part_of(const region* r) const;
  partial_results* add_part(partial_results part, result_bringer bring);
  // The worker has run its last block.
  void end_worker();

  const region* last_region = nullptr;  // the region of the last reduction

 private:
  reduction_order* all_;
  std::uint64_t n_ = 0;
  kept_reductions kept_;
  std::vector<std::unique_ptr<partial_results>> parts_;
  result_bringer bring_ = nullptr;  // for all of them
};

// The n-th block of a launch, from its beginning to its end, however it ends.
class reduction_turn {
 public:
  reduction_turn(block_reductions* of, std::uint64_t n) : of_(of) {
    if (of_ != nullptr) of_->begin(n);
  }
  ~reduction_turn() {
    if (of_ != nullptr) of_->end();
  }
  reduction_turn(const reduction_turn&) = delete;
  reduction_turn& operator=(const reduction_turn&) = delete;

 private:
  block_reductions* of_;
};

}  // namespace bankwise::emulate
