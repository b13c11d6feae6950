// What each instruction asked of global memory, and of the threads' own stacks, as Nsight Compute's source page counts it.
//
//     LDG [R2], lanes 4 bytes apart      executed 1, requests 1, lanes 32, bytes 128, sectors 4, ideal 4, tag requests 1
//                      128 bytes apart   sectors 32, ideal 4, tag requests 32
#pragma once

#include <cstdint>
#include <map>

#include "bankwise/global_sectors.hpp"
#include "emulate/listener.hpp"
#include "model/global_site.hpp"
#include "profile/code/by_instruction.hpp"

namespace bankwise {

// Of one instruction.
struct global_tally : global_counts {
  global_kind kind{};
  bool generic = false;
  u32 width_bytes = 0;  // of a lane
  // Of a listener that hears of blocks that stand for others: of those that have ended. The rest is of the block that runs.
  global_counts before;
};

// What one access asks for. Of the stacks it is words: those of the lanes of a warp lie side by side.
global_cost cost_of(const emulate::global_access_event& e);

class global_collector : public emulate::listener {
 public:
  // As those of collector.
  explicit global_collector(std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0, bool blocks_repeat = false);

  emulate::wanted_events wants() const override {
    return {.accesses = false, .asynchronous = false, .block_ends = blocks_repeat_, .global = true};
  }
  void on_block(std::uint64_t) override {}
  void on_block_end(std::uint64_t times) override;
  void on_global(const emulate::global_access_event& e) override;

  // By device address of the instruction. A generic instruction may be in both.
  const std::map<std::uint64_t, global_tally>& global() { return finished(global_); }
  const std::map<std::uint64_t, global_tally>& local() { return finished(local_); }
  // Of all instructions on global memory.
  global_counts sum();
  void add(global_collector& other);

 private:
  const std::map<std::uint64_t, global_tally>& finished(by_instruction<global_tally>& of);

  by_instruction<global_tally> global_, local_;
  bool blocks_repeat_;
};

}  // namespace bankwise
