// Makes listeners that record a few blocks of a launch while these blocks execute. The other blocks run as usual.
#pragma once

#include <cstdint>

#include "emulate/listener.hpp"

namespace bankwise::emulate {

class block_recorders {
 public:
  virtual ~block_recorders() = default;
  // Called when a launch begins. If a launch begins again, everything that was recorded before is dropped.
  virtual void begin_launch() = 0;
  // Called when a block begins, at most once for each block, from the thread that executes the block. Returns the
  // listener that records the block, or null. The listener receives the events of this block only. At the end of the
  // block, on_block_end is called, even if wants() does not ask for it.
  virtual listener* of_block(std::uint64_t block) = 0;
  // Called when the listener of a block has enough. Returns the listener that records the rest of the block, or null.
  virtual listener* rest_of_block(std::uint64_t block) {
    static_cast<void>(block);
    return nullptr;
  }
};

}  // namespace bankwise::emulate
