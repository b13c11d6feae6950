// Collects the output of kernels, in the order of their blocks.
#include "emulate/grid/printed_output.hpp"

#include <algorithm>

namespace bankwise::emulate {

void printed_output::add_block(const block_state& block, bool failed) {
  const std::lock_guard lock(mutex_);
  if (failed) last_ = std::min(last_, block.order);
  waiting_[block.order] = block.printed;
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_ && next_ <= last_; ++next_)
    it = hand_on(it);
}

void printed_output::finish() {
  for (auto it = waiting_.begin(); it != waiting_.end();) it = hand_on(it);
}

printed_output::texts::iterator printed_output::hand_on(texts::iterator it) {
  for (const printed_text& t : it->second) {
    const auto& to = t.is_error ? hooks_.print_error : hooks_.print;
    if (to) to(t.text);
  }
  return waiting_.erase(it);
}

}  // namespace bankwise::emulate
