// A cheap search for races on shared memory, in the first block of a launch: two warps access the same word between two
// barriers of the whole block, and at least one access is a write.
//
//     warp 0   BAR   STS A
//     warp 1   BAR           LDS A     no barrier between the two: a race
//
// Kernels whose barriers separate loads from stores cannot have such a race, and are not watched at all. The search is
// silent in case of doubt. It ignores blocks and code that order warps by other means: barriers with a
// number of threads, mbarriers, atomics with a result, asynchronous copies, fences, and loops that wait for a word. It
// also ignores words that are accessed by bytes, or written by several warps. --check race finds all races
// (hazards.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulate/launch/listeners.hpp"
#include "profile/hazards.hpp"

namespace bankwise {

class race_watch : public emulate::passing_listener {
 public:
  // `knows_values`: whether the run computes the values in shared memory. If so, a write that does not change its word
  // is ignored.
  race_watch(const cubin::program& p, const cubin::kernel& k, std::uint32_t shared_bytes, bool knows_values)
      : program_(p), kernel_(k), shared_bytes_(shared_bytes), knows_values_(knows_values) {}

  void on_next(const next_block& b) override;
  bool has_enough() const override { return over_; }
  emulate::wanted_events wants() const override { return {.asynchronous = false, .order = true}; }
  void on_block(std::uint64_t block) override;
  void on_access(const emulate::shared_access& a) override;
  void on_order(const emulate::ordering& o) override;

  void add(const race_watch& other);
  const std::map<hazard_checker::key, hazard_checker::seen>& found() const { return found_; }

 private:
  struct stamp {
    std::uint64_t pc = 0;
    std::uint32_t epoch = 0;
    std::uint16_t thread = 0;
    std::uint8_t warp = 0;
  };
  // The accesses to a word since the last barrier: a write, and reads by two warps.
  struct word {
    stamp write, read, other_read;
    std::uint32_t doubtful = 0;  // the epoch in which the word is ignored
  };
  void end_block();
  void read(word& w, const stamp& now, std::uint32_t address);
  void write(word& w, const stamp& now, std::uint32_t address, bool adds);
  void report(hazard_kind kind, const stamp& first, const stamp& second, std::uint32_t address);

  const cubin::program& program_;
  const cubin::kernel& kernel_;
  std::uint32_t shared_bytes_;
  bool knows_values_, over_ = false, in_doubt_ = false, began_ = false, looked_at_code_ = false;
  std::uint64_t block_ = 0, accesses_ = 0;
  std::uint32_t epoch_ = 1;
  std::vector<word> words_;
  std::map<hazard_checker::key, hazard_checker::seen> found_;
  // the races of the running block, and the number of the last access with this race
  std::map<hazard_checker::key, std::pair<hazard_checker::seen, std::uint64_t>> of_block_;
};

}  // namespace bankwise
