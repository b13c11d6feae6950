// Notes the regions of device memory that launches use. A launch looks each region up before it accesses the region
// (device_memory::find, device_memory::bytes_at), so noting the lookups is enough. Also notes whether a launch called
// malloc() or free().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

#include "emulate/memory/memory.hpp"

namespace bankwise::emulate {

class memory_uses {
 public:
  // Notes lookups of all threads from now on, until stop() or the next start().
  void start();
  void stop();
  // First addresses of the regions that were looked up since start(). Call this while no launch runs.
  const std::set<std::uint64_t>& regions() const { return regions_; }
  bool heap() const { return heap_.load(); }

  // Called for each lookup that found a region.
  static void note(const region& r) {
    if (memory_uses* const active = active_.load(std::memory_order_relaxed)) active->add(r);
  }
  static void note_heap() {
    if (memory_uses* const active = active_.load()) active->heap_.store(true);
  }

 private:
  // Most lookups find a region that was noted before. For these lookups, no lock is needed.
  static constexpr std::size_t noted_count = 256;
  static std::size_t place_of(std::uint64_t address) {
    return (address >> 12 ^ address >> 20 ^ address >> 28) % noted_count;
  }
  void add(const region& r) {
    if (noted_[place_of(r.address)].load(std::memory_order_relaxed) != r.address) insert(r.address);
  }
  void insert(std::uint64_t address);

  static std::atomic<memory_uses*> active_;
  std::array<std::atomic<std::uint64_t>, noted_count> noted_{};
  std::atomic<bool> heap_{false};
  std::mutex mutex_;
  std::set<std::uint64_t> regions_;
};

}  // namespace bankwise::emulate
