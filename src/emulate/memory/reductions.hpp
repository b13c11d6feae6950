// Reductions in global memory by blocks that run in parallel. The reductions are executed in the order of the blocks,
// so that the results do not depend on the order in which blocks run.
//
//     block 0    RED  RED        at once: all blocks before it have ended
//     block 1    RED  RED  RED   kept, and executed when block 0 has ended
//     block 2    RED  LDG        a load from memory that reductions change waits until block 1 has ended
//
// Sometimes, any order gives the same result. For example, if a kernel only adds integers to an allocation, each worker
// keeps its own sums. The worker adds these sums to memory after its last block. If the allocation is large, each
// worker adds to memory at once instead. So memory and counts are the same as if blocks ran one after another, also for
// floats.
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
#include "sass/fields/fields.hpp"

namespace bankwise::emulate {

// A reduction by one lane.
struct reduction {
  std::byte* place = nullptr;
  const sass::memory_access* how = nullptr;
  std::array<std::uint32_t, 4> operand{};
};
using reduction_maker = void (*)(const reduction&);

struct kept_reductions {
  std::vector<reduction> list;
  reduction_maker make = nullptr;  // the function that executes the reduction
};

struct reduced_region {
  const region* where = nullptr;
  // Whether all accesses of the kernel to this region are the same commutative operation on words of the same size.
  bool commutes = false;
  friend bool operator==(const reduced_region&, const reduced_region&) = default;
};

// State that the workers of a launch share. Blocks are numbered in the order in which they begin. Each block must call
// end().
class reduction_order {
 public:
  // `alone`: whether there is only one worker.
  reduction_order(std::vector<reduced_region> changed, bool alone) : regions_(std::move(changed)), alone_(alone) {}

  // The entry of this region. Null if no reduction changes this region.
  const reduced_region* find(const region* r) const;
  bool is_alone() const { return alone_; }
  // Whether all blocks before block n have ended.
  bool is_first(std::uint64_t n) const { return first_.load(std::memory_order_acquire) == n; }
  void wait_until_first(std::uint64_t n);
  // Ends block n. Keeps its pending reductions until all earlier blocks have ended. If too many reductions are pending,
  // waits until these blocks have ended.
  void end(std::uint64_t n, kept_reductions kept);

 private:
  const std::vector<reduced_region> regions_;
  const bool alone_;
  std::atomic<std::uint64_t> first_{0};
  std::mutex mutex_;  // guards the members below
  std::condition_variable moved_on_;
  // key: an ended block; value: its reductions, which are pending until all earlier blocks have ended
  std::map<std::uint64_t, kept_reductions> ended_;
  std::size_t kept_ = 0;
};

// The partial results of one worker for an allocation, so that workers do not wait for each other.
class partial_results {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  // Whether the region gets partial results. If not, memory is updated at once.
  static bool suits(const region& of, const sass::memory_access& how) {
    return of.bytes <= most_bytes && of.address % how.bytes == 0;
  }
  // `nothing`: an operand with which the operation leaves every value unchanged.
  partial_results(const region& of, const sass::memory_access& how, std::uint64_t nothing);

  const region* of() const { return of_; }
  // The partial result for the word at this offset in the region.
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
  std::vector<std::uint8_t> begun_;  // for each piece of the region: whether it was used
};
using result_bringer = void (*)(const partial_results&);

// The reductions of the block that a worker is running.
class block_reductions {
 public:
  explicit block_reductions(reduction_order& all) : all_(&all) {}

  void begin(std::uint64_t n) { n_ = n; }
  void end() { all_->end(n_, std::exchange(kept_, {})); }

  const reduced_region* find(const region* r) const { return all_->find(r); }
  bool is_alone() const { return all_->is_alone(); }
  // Whether all earlier blocks have ended. If so, the block's pending reductions have been executed, and later
  // reductions are executed at once.
  bool is_first();
  void wait_until_first();
  void keep(const reduction& r, reduction_maker make);

  // The worker's partial results for a region whose updates commute. Null if there are no partial results yet.
  partial_results* part_of(const region* r) const;
  partial_results* add_part(partial_results part, result_bringer bring);
  // Must be called when the worker has run its last block.
  void end_worker();

  const region* last_region = nullptr;

 private:
  reduction_order* all_;
  std::uint64_t n_ = 0;
  kept_reductions kept_;
  std::vector<std::unique_ptr<partial_results>> parts_;
  result_bringer bring_ = nullptr;  // the function that adds partial results to memory
};

// Exists from the beginning of the n-th block to its end. The destructor ends the block, even after a failure.
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
