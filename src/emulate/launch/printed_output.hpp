// Passes the output of blocks on, in the order of the blocks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

class printed_output {
 public:
  explicit printed_output(const launch_hooks& hooks) : hooks_(hooks) {}

  // A block has ended, or failed. After a failure, the output of later blocks is dropped. Any thread may call it.
  void add_block(const block_state& block, bool failed);
  // Passes the rest on. If blocks took turns, blocks that did not end may be between blocks that did.
  void finish();

 private:
  using texts = std::map<std::uint64_t, std::vector<printed_text>>;
  texts::iterator hand_on(texts::iterator it);

  const launch_hooks& hooks_;
  std::mutex mutex_;
  texts waiting_;
  std::uint64_t next_ = 0, last_ = ~std::uint64_t{0};
};

}  // namespace bankwise::emulate
