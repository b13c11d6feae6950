// What a block sees of the time: the values of its clock registers. The emulator does not know how long instructions
// take. So another folder makes the clocks, which listen to what their blocks execute.
#pragma once

#include <cstdint>
#include <memory>

#include "emulate/listener.hpp"

namespace bankwise::emulate {

class block_clock : public listener {
 public:
  struct time {
    std::uint64_t clocks = 0, nanoseconds = 0;
  };
  // Whether the running warp should let others run before it reads its clock. Only true once for each read.
  virtual bool lets_others_first() = 0;
  // The running warp reads its clock at `pc`. on_instructions follows later for the instructions from `begin` on.
  // `warps`: number of warps of the block that do not wait for other warps.
  virtual void read(std::uint64_t begin, std::uint64_t pc, std::uint32_t warps) = 0;
  // Returns the time of the last read.
  virtual time now() const = 0;
};

class block_clocks {
 public:
  virtual ~block_clocks() = default;
  // Called when a block begins, from the thread that executes it. When the block ends, on_block_end is called.
  virtual std::shared_ptr<block_clock> of_block(std::uint64_t block) = 0;
};

}  // namespace bankwise::emulate
