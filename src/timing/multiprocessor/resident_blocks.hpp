// The blocks of the launch that run on a multiprocessor, and their warps. A block begins when an earlier block ends. One
// unit of the GPU starts the blocks of all multiprocessors one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "timing/multiprocessor/quarter.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

class resident_blocks {
 public:
  explicit resident_blocks(const multiprocessor_setup& s) : s_(s) {}

  bool has_next() const { return next_ < s_.blocks.size(); }
  // Returns the clocks between the starts of two blocks of the multiprocessor.
  double gap() const { return s_.free.launch ? 0 : s_.gpu.block_gap * s_.active; }
  // Returns the clocks from the end of a block to the start of the next block.
  double refill() const { return s_.free.launch ? 0 : s_.gpu.refill_delay; }
  // Starts the next block, at the time `at` or later, and puts its warps into quarters.
  resident_block& begin(double at, quarters& to);
  // Removes a block whose warps have all ended.
  void end(resident_block& b);
  // Releases the warps that wait at barriers and mbarriers. Returns false if no warp waits.
  bool release_all();

 private:
  const multiprocessor_setup& s_;
  std::vector<std::unique_ptr<running_warp>> warps_;
  std::vector<std::unique_ptr<resident_block>> blocks_;
  std::size_t next_ = 0;
  std::uint64_t age_ = 0;
  std::size_t first_quarter_ = 0;  // of the next block's first warp, as %warpid shows it on an H200
  double last_begin_ = -1e9;
};

}  // namespace bankwise::timing
