// The turns of indirect branches (BRX, as in the table of a switch). If the lanes of a warp jump to several targets, the
// GPU issues the branch again for each further target, with the lanes that have not jumped yet.
//
//     BRX R2           32 lanes; 8 of them jump to case A
//     case A, BSYNC    8 lanes
//     BRX R2           24 lanes: again, before the lanes of case B
//     case B, BSYNC    ...
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bankwise::timing {

class indirect_turns {
 public:
  struct turn {
    std::uint32_t code = 0;   // index of the branch in launch_trace::code
    std::uint32_t lanes = 0;  // the lanes that have not jumped yet
  };
  // Call this after `lanes` have executed a branch.
  void jump(std::uint32_t code, std::uint32_t lanes) {
    waiting_.push_back({code, lanes});
    is_first_ = true;
  }
  // Call this before `lanes` of the warp execute instructions. If they wait for a turn of a branch, returns this turn.
  std::optional<turn> begin(std::uint32_t lanes) {
    while (!waiting_.empty()) {
      turn& last = waiting_.back();
      const std::uint32_t here = last.lanes & lanes;
      if (here == 0) return std::nullopt;  // lanes that have jumped
      const turn now = last;
      last.lanes &= ~lanes;
      // Lanes that meet others do not come from the branch.
      const bool has_met = here != lanes;
      if (has_met || last.lanes == 0) waiting_.pop_back();
      if (has_met) continue;
      if (!std::exchange(is_first_, false)) return now;
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::vector<turn> waiting_;  // the branches with lanes that have not jumped; the innermost branch is last
  bool is_first_ = false;      // whether no lanes have executed anything since the last branch
};

}  // namespace bankwise::timing
