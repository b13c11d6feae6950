// How simultaneous blocks share the lines that they access: which of them reads a line from DRAM, and which find it in
// L2.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Copies of a traced block have separate lines: the copy's number is in the bits above.
inline constexpr unsigned line_bits = 50;
inline constexpr std::uint64_t line_of_trace = (std::uint64_t{1} << line_bits) - 1;

// A slice of L2, with the line's 512 bytes.
inline std::size_t slice_of(std::uint64_t line, std::size_t slices) {
  const std::uint64_t mixed = line / 4 * 0x9e3779b97f4a7c15u;
  return (mixed >> 32) % slices;
}

class line_sharing {
 public:
  explicit line_sharing(const launch_trace& t, double l2_bytes = 30e6);

  struct share {
    double dram = 1;    // the part of the line's bytes that comes from DRAM, for this multiprocessor
    double blocks = 1;  // the blocks of the turn that touch it
    // Whether another block of the turn accesses it long before the blocks of this multiprocessor do.
    bool is_there = false;
    bool is_known = false;
  };
  // For the half of the line that contains the first of these sectors: DRAM returns two sectors at a time.
  share of(std::uint64_t line, unsigned sectors = 15) const;
  // Whether few blocks share this line, so that another block with the same code has a separate line instead.
  bool is_of_few(std::uint64_t line, unsigned sectors) const { return of(line, sectors).blocks < 1 + wave_ / 4; }
  // The approximate number of bytes that the launch writes.
  double written_bytes() const { return written_; }
  // The part of the partially stored sectors that stay incomplete: no other store of the block writes the rest.
  double part_left_incomplete() const { return incomplete_; }
  double touched_bytes() const { return bytes_; }
  // The part of the blocks that update this word; 0 if only one of the traced blocks does.
  double part_updating(std::uint64_t word) const;
  // The part of all blocks' updates that goes to each slice of L2.
  std::vector<double> updates_by_slice(std::size_t slices) const;

 private:
  struct counted {
    std::uint32_t blocks = 0, own = 0, last = ~0u;
    // The instructions that a block executes before its first access, the least of all blocks and of this
    // multiprocessor's.
    std::uint32_t first = ~0u, own_first = ~0u;
    std::uint32_t brought = 1, last_at = 0;  // how often DRAM delivers it; time of the last access
    bool is_touched = false;
  };
  void count_returns(const launch_trace& t, const std::vector<char>& is_of_wave, double stays);
  std::unordered_map<std::uint64_t, counted> lines_;  // by half line
  bool one_of_each_ = false;                          // the sampled blocks are on different multiprocessors
  double multiprocessors_ = 1;
  double wave_ = 1;       // blocks that run at the same time
  double raise_ = 1;      // blocks of the turn for each sampled one
  double mean_dram_ = 1;  // for lines that were not sampled
  double written_ = 0, bytes_ = 0, incomplete_ = 0;
  void look_at_stores(const launch_trace& t);
  void look_at_updates(const launch_trace& t);
  struct updated_word {
    std::uint32_t blocks = 0, last = ~0u;
  };
  std::unordered_map<std::uint64_t, updated_word> words_;
  std::unordered_map<std::uint64_t, double> updated_;  // sectors that are updated, by groups of lines in one slice
  double traced_ = 1;                                  // blocks
};

}  // namespace bankwise::timing
