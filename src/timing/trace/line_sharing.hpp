// Estimates how blocks share lines if they run at the same time. One block reads a line from DRAM, and other blocks
// find the line in L2.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Number of bits of a line's number. The bits above contain the number of a block's copy, so that each copy has its own
// lines.
inline constexpr unsigned line_bits = 50;
inline constexpr std::uint64_t line_of_trace = (std::uint64_t{1} << line_bits) - 1;

// Returns the slice of L2 that contains the 512 bytes around the line.
inline std::size_t slice_of(std::uint64_t line, std::size_t slices) {
  const std::uint64_t mixed = line / 4 * 0x9e3779b97f4a7c15u;
  return (mixed >> 32) % slices;
}

class line_sharing {
 public:
  explicit line_sharing(const launch_trace& t, double l2_bytes = 30e6);

  struct share {
    double dram = 1;    // part of the line's bytes that this multiprocessor reads from DRAM
    double blocks = 1;  // number of blocks that touch the line and run at the same time
    // Whether a block of another multiprocessor accesses the line long before the blocks of this multiprocessor access
    // it.
    bool is_there = false;
    bool is_known = false;
    // The part of the requests of all blocks that L2 gets if neighbours send theirs together.
    double together = 1;
  };
  // Returns the share for the half of the line that contains the first of these sectors. DRAM returns two sectors at a
  // time, which are half a line.
  share of(std::uint64_t line, unsigned sectors = 15) const;
  // Whether only few blocks share the line. If so, each copy of a block accesses its own line.
  bool is_of_few(std::uint64_t line, unsigned sectors) const { return of(line, sectors).blocks < 1 + wave_ / 4; }
  // Returns the approximate number of bytes that the launch writes.
  double written_bytes() const { return written_; }
  // Returns the share of incomplete sectors among all sectors to which the traced blocks store. The stored sectors of a
  // line are incomplete if less than 90 % of their bytes are stored.
  double part_left_incomplete() const { return incomplete_; }
  // Replaces what is known about stores, if the stores of the trace change. All other accesses keep their shares.
  void change_stores(const launch_trace& t);
  double touched_bytes() const { return bytes_; }
  // Whether most lines are of several blocks. Each half of L2 then keeps its own copy of them.
  bool is_mostly_shared() const { return mean_blocks_ > 1.5; }
  // Whether blocks that ended have read a line, so that a block that begins after the first ones finds it in L2. Only the
  // part of such lines is known, so the number of the line decides.
  bool was_read_earlier(std::uint64_t line) const;
  // Returns the share of the blocks that update this word. Returns 0 if only one traced block updates it.
  double part_updating(std::uint64_t word) const;
  // Returns the part of all blocks' updates that goes to each slice of L2.
  std::vector<double> updates_by_slice(std::size_t slices) const;

 private:
  struct counted {
    std::uint32_t blocks = 0, own = 0, last = ~0u;
    // The fewest instructions that a block executes before its first access to the half line. The first number is for
    // all blocks, and the second number is for the blocks of this multiprocessor.
    std::uint32_t first = ~0u, own_first = ~0u;
    std::uint32_t brought = 1, last_at = 0;  // how often DRAM delivers the half line, and the time of the last access
    bool is_touched = false;
    float together = 1;  // as in share
  };
  void find_neighbours(const launch_trace& t, const std::vector<char>& is_of_wave);
  void guess_later_lines(const launch_trace& t);
  void count_returns(const launch_trace& t, const std::vector<char>& is_of_wave, double stays);
  // share::together for lines of blocks of later waves: the mean of the instruction that copies them
  std::unordered_map<std::uint64_t, float> later_lines_;
  std::unordered_map<std::uint64_t, counted> lines_;  // key: number of the half line
  bool one_of_each_ = false;                          // whether the sampled blocks are on different multiprocessors
  double multiprocessors_ = 1;
  double wave_ = 1;         // number of blocks that run at the same time
  double raise_ = 1;        // wave_ divided by the number of sampled blocks that run at the same time
  double mean_blocks_ = 1;  // mean of share::blocks
  double mean_dram_ = 1;    // mean of share::dram, for lines that were not sampled
  double written_ = 0, bytes_ = 0, incomplete_ = 0;
  double fresh_ = 1;   // part of the data of later blocks that no block has read before
  double stored_ = 0;  // distinct sectors to which the traced blocks store
  struct recorded_stores {
    double written = 0, sectors = 0;
  };
  recorded_stores recorded_;
  void look_at_stores(const launch_trace& t);
  void look_at_later_blocks(const launch_trace& t, double l2_bytes);
  void look_at_updates(const launch_trace& t);
  struct updated_word {
    std::uint32_t blocks = 0, last = ~0u;
  };
  std::unordered_map<std::uint64_t, updated_word> words_;
  // key: group of lines in one slice; value: number of updated sectors
  std::unordered_map<std::uint64_t, double> updated_;
  double traced_ = 1;  // number of traced blocks
};

}  // namespace bankwise::timing
