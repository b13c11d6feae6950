// Detects blocks that race on global memory: a block loads a word that another resident block changes.
//
//     block 0    LDG d[5]   STS ...   STG d[5]     in sequence: block 1 finds the stores of block 0
//     block 1               LDG d[5]   ...         on a GPU: both load before either stores
//
// A launch whose code may race (racing_code.hpp) first runs as usual, but its accesses are watched. The first race
// stops the launch and restores the memory. Then the launch runs again with its resident blocks interleaved: each warp
// yields before it changes global memory from which it may have loaded. So all resident blocks load before the first
// block stores, as on a GPU. The second run records which instructions race.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "emulate/block/racing_code.hpp"
#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// Records which blocks have loaded and changed each word of an allocation.
struct watched_region {
  // The blocks that accessed the unit. A block is recorded as its number plus one. If several blocks accessed the unit,
  // the value is first << 32 | last.
  struct unit {
    std::atomic<std::uint64_t> loaded_by{0}, changed_by{0};
    // index of the last instruction that loaded the unit, and index of the last instruction that changed the unit
    std::atomic<std::uint16_t> load{0}, change{0};
  };
  static constexpr std::uint64_t page_bytes = 4096;
  struct page {
    std::array<std::byte, page_bytes> before;  // contents of the page before the launch
    std::atomic<bool> changed{false};
    std::unique_ptr<unit[]> units;
  };
  std::uint64_t address = 0, bytes = 0;
  std::byte* data = nullptr;
  // whether races are checked; if false, the region only keeps its contents from before the launch
  bool may_race = true;
  std::vector<std::atomic<page*>> pages;
};

// The accesses of a launch to global memory. All workers of the launch share this record.
class block_races {
 public:
  // `may_race`: the allocations where blocks can race. An empty set means all allocations. `together`: the number of
  // resident blocks. `interleaves`: whether resident blocks are interleaved and races are recorded. If `interleaves` is
  // false, the first race stops the launch.
  block_races(const racing_code& code, std::set<const region*> may_race, std::uint64_t together, bool interleaves)
      : code_(code), may_race_(std::move(may_race)), together_(together), interleaves_(interleaves) {}
  ~block_races();
  block_races(const block_races&) = delete;
  block_races& operator=(const block_races&) = delete;

  const racing_code& code() const { return code_; }
  bool interleaves() const { return interleaves_; }
  bool is_found() const { return found_.load(std::memory_order_relaxed); }
  void undo();
  std::vector<block_race> noted(std::uint64_t section) const;

  // Executes the instruction and records its access. Called instead of the instruction's handler.
  step run_noted(struct worker& m, const micro_op& u, std::uint32_t mask);

 private:
  struct accessed;
  watched_region* find(worker& m, std::uint64_t address);
  watched_region::page* page_of(watched_region& r, std::uint64_t offset);
  std::uint64_t other_of(std::uint64_t blocks, std::uint64_t own) const;
  template <class Body>
  void each_unit(worker& m, const accessed& a, Body body);
  void note_loads(worker& m, const micro_op& u, const accessed& a);
  void note_changes(worker& m, const micro_op& u, const accessed& a, const std::vector<std::uint32_t>& before);
  void found(block_race_kind kind, std::uint32_t first, std::uint32_t second);

  const racing_code& code_;
  const std::set<const region*> may_race_;
  const std::uint64_t together_;
  const bool interleaves_;
  std::atomic<bool> found_{false}, given_up_{false};
  std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, std::unique_ptr<watched_region>> regions_;
  std::size_t pages_ = 0;
  std::map<std::tuple<block_race_kind, std::uint32_t, std::uint32_t>, std::uint64_t> noted_;
};

// Runs the handler micro_op::checked. The worker's block_races record the access.
step run_watched(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
