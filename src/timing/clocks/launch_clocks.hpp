// The clocks that the warps of a launch see (clock64(), %globaltimer). They follow the blocks while these execute, and
// give each instruction the time that the model of a multiprocessor gives it.
//
//     warp 0    CS2R 40   LDG 46 .......... IMAD 741   CS2R 748      the kernel computes 748 - 40
//
// At that time, the other warps have not executed the same instructions yet. So each warp has its own pipes. If several
// warps run, they are assumed to do the same, and an instruction keeps a pipe busy for all of them. For the same reason,
// all blocks begin with the launch, and find only what they have brought to L2 themselves, or what was there before.
// What a block waits for from another one (a flag, an atomic) is not modelled: a block may see a store earlier
// than the clock of the other block says.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bankwise/arch.hpp"
#include "emulate/launch/block_clock.hpp"
#include "emulate/launch/launch.hpp"
#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Whether the kernel, or a function that it may call, reads a clock.
bool reads_clock(const cubin::program& p, const cubin::kernel& k);

class launch_clocks : public emulate::block_clocks {
 public:
  // For a kernel that reads a clock. `in_program`: whether the multiprocessors have the clock rate of a program, and not
  // that of a profiler. Returns null if the GPU is unknown.
  static std::unique_ptr<launch_clocks> make(const emulate::launch& l, const emulate::device_memory& memory,
                                             const bank_model& banks, bool in_program);
  std::shared_ptr<emulate::block_clock> of_block(std::uint64_t block) override;
  // If a block has waited for a time: the clocks that the launch takes at least. Otherwise 0.
  double least_clocks() const;
  // The latest clock that a block has read.
  double seen_clocks() const;
  double gigahertz() const { return gpu_.sm_clock; }

 private:
  class block;
  launch_clocks(const emulate::launch& l, const emulate::device_memory& memory, const bank_model& banks,
                const gpu_parameters& gpu);
  void add_section(std::uint32_t number);

  const emulate::launch launch_;
  const emulate::device_memory& memory_;
  const bank_model banks_;
  const gpu_parameters gpu_;
  launch_trace shape_;  // the launch without blocks
  double l1_bytes_ = 0;
  double active_ = 1;    // multiprocessors that have blocks
  double resident_ = 1;  // blocks of a multiprocessor that run at the same time
  struct section {
    std::uint64_t begin = 0, end = 0;
    std::size_t first = 0;  // in `costs_`
  };
  std::vector<section> sections_;
  std::vector<instruction_cost> costs_;
  std::unordered_set<std::uint64_t> waits_;  // addresses of reads in loops that only wait
  mutable std::mutex mutex_;
  double longest_wait_ = 0;  // clocks of the longest block that has waited for a time
  double seen_ = 0;
  std::uint64_t waited_ = 0, ended_ = 0;  // clocks of the blocks that have waited, and how many blocks have ended
};

}  // namespace bankwise::timing
