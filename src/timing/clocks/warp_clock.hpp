// The clock of one warp: when it issues each of the instructions that it executes. The rules are those of
// multiprocessor.cpp, but the warp has its own pipes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "timing/clocks/clocked_memory.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/instruction_fetch.hpp"
#include "timing/multiprocessor/mbarriers.hpp"
#include "timing/multiprocessor/pipes.hpp"
#include "timing/multiprocessor/scoreboards.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// A use of a barrier of the block, by the warps that arrive until it opens.
struct clocked_meeting {
  double last = 0;  // time of the last arrival
};

// What the warps of a block share.
struct clocked_block {
  clocked_block(const gpu_parameters& gpu, std::size_t instructions, double l1_bytes, double in_l2,
                double multiprocessors);
  const gpu_parameters& p;
  double active;  // multiprocessors that have blocks
  pipe_clocks pipes{p};
  instruction_fetch fetch;
  std::array<std::vector<std::uint32_t>, 4> code_lines;  // in the instruction cache of each quarter
  clocked_memory memory;
  std::unordered_map<std::uint32_t, mbarrier> mbarriers;                    // by shared address
  std::unordered_map<unsigned, std::shared_ptr<clocked_meeting>> meetings;  // by the barrier's number
};

class warp_clock {
 public:
  warp_clock(clocked_block& block, unsigned number)
      : block_(&block), code_lines_(&block.code_lines[number % block.code_lines.size()]) {}

  // An instruction, and the accesses that it makes.
  struct executed {
    const instruction_cost& cost;
    std::uint32_t code = 0;  // index of the instruction in the program's code
    const launch_trace& trace;
    std::span<const traced_access> accesses;
    double sleeps = 0;  // nanoseconds
  };
  // Executes the next instruction. Returns the time at which it is issued.
  double issue(const executed& e);
  void jump() { next_ += block_->p.branch_redirect; }

  void arrive_at(std::shared_ptr<clocked_meeting> m) { arrives_.push_back(std::move(m)); }
  void leave(std::shared_ptr<clocked_meeting> m) { left_ = std::move(m); }
  // Sets how many warps of a multiprocessor do the same at the same time.
  void share(double warps) { warps_ = warps; }
  void skip(double clocks) { next_ += clocks; }
  double next() const { return next_; }

 private:
  double warps_of_quarter() const { return std::max(1.0, warps_ / 4); }
  double begin_of(const executed& e);
  execution execute(const executed& e, double at);
  execution access(const executed& e, double at);
  double load(const executed& e, const traced_access& a, double at);
  double from_l2(std::uint64_t line, unsigned sectors, double at);
  void copy(const traced_access& a, const launch_trace& t, double at);

  clocked_block* block_;
  std::vector<std::uint32_t>* code_lines_;
  double next_ = 0;  // from this time on, the next instruction can be issued
  double warps_ = 1;
  scoreboards under_way_;
  pipes_of_quarter pipes_;
  double issue_free_ = 0, address_free_ = 0, stage_free_ = 0, l2_free_ = 0, dram_free_ = 0;
  double copies_ = 0, product_ = 0;  // ends of the warp's copies to shared memory and of its products
  instruction_fetch::position fetched_;
  std::vector<std::shared_ptr<clocked_meeting>> arrives_;  // at the barrier of the instruction that is executed next
  std::shared_ptr<clocked_meeting> left_;                  // the barrier that has opened for the warp
};

}  // namespace bankwise::timing
