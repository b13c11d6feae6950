// Prints the output of blocks in the order of the blocks.
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

  // Adds the output of a block that has ended or failed. After a failed block, the output of later blocks is dropped.
  // Safe to call from any thread.
  void add_block(const block_state& block, bool failed);
  // Prints the remaining output. If blocks took turns, the output may contain output of unfinished blocks between
  // finished blocks.
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
