// The accesses of each instruction to global memory, and to the threads' own stacks, as Nsight Compute's source page
// counts them.
//
//     LDG [R2], lanes 4 bytes apart      executed 1, requests 1, lanes 32, bytes 128, sectors 4, ideal 4, tag requests 1
//                      128 bytes apart   sectors 32, ideal 4, tag requests 32
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "bankwise/global_sectors.hpp"
#include "emulate/listener.hpp"
#include "model/global_site.hpp"
#include "profile/code/by_instruction.hpp"

namespace bankwise {

// For one instruction.
struct global_tally : global_counts {
  global_kind kind{};
  bool generic = false;
  u32 width_bytes = 0;  // of a lane

  // Recent accesses. How often each occurred since it was counted, by the place of its first lane in a line: the other
  // lanes are always at the same distances.
  struct pattern {
    emulate::global_access_event what;
    std::array<std::uint64_t, lanes_per_warp> address{};  // the first lane's is a multiple of a line
    std::array<u32, lanes_per_warp> to{};
    std::array<std::uint64_t, line_bytes> times{};
    std::array<std::uint64_t, line_bytes / 64> came{};  // bits: where `times` is not 0
  };
  std::array<pattern, 4> recent;
  unsigned last = 0;  // the most recent of them
  // If a block represents others that access other places in a line: the cost for one of them, by its distance in the
  // line.
  struct by_place {
    std::array<u32, 3> by{};  // of the next block on each axis
    std::array<global_counts, line_bytes> sum{};
  };
  std::vector<by_place> of_others;
  // For a listener that receives blocks which represent others: sums of blocks that have ended. The rest is for the
  // running block.
  global_counts before;
};

// The bytes that one access requests. For stacks these are words: the words of a warp's lanes are adjacent.
global_cost cost_of(const emulate::global_access_event& e);

class global_collector : public emulate::listener {
 public:
  // Like those of collector.
  explicit global_collector(std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0, bool blocks_repeat = false);

  emulate::wanted_events wants() const override {
    return {.accesses = false, .asynchronous = false, .block_ends = blocks_repeat_, .global = true};
  }
  void on_block(std::uint64_t) override {}
  void on_alike(const std::array<std::uint32_t, 3>& blocks) override { alike_ = blocks; }
  void on_block_end(std::uint64_t times) override;
  void on_global(const emulate::global_access_event& e) override;

  // By device address of the instruction. A generic instruction may be in both.
  const std::map<std::uint64_t, global_tally>& global() { return finished(global_); }
  const std::map<std::uint64_t, global_tally>& local() { return finished(local_); }
  // For all instructions on global memory.
  global_counts sum();
  void add(global_collector& other);

 private:
  const std::map<std::uint64_t, global_tally>& finished(by_instruction<global_tally>& of);

  by_instruction<global_tally> global_, local_;
  bool blocks_repeat_;
  std::array<std::uint32_t, 3> alike_{1, 1, 1};
};

}  // namespace bankwise
