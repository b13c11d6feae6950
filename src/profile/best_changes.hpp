// The changes that save a launch the most time, replayed together.
#pragma once

#include "model/launch.hpp"
#include "profile/delays/replays.hpp"
#include "profile/sector_remedies.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// Numbers the causes of the launch, and divides what their changes save together among the places of each cause. Then
// sets what the best two and the best three changes save together. `removable`: the
// wavefronts of each site that a layout removes; `sector_lines`: of the launch; `remedies`: of these lines.
void add_joint_savings(launch_report& r, const timing::launch_trace& t, const std::vector<std::uint64_t>& removable,
                       const std::vector<costly_sectors>& sector_lines, const std::vector<sector_remedy>& remedies,
                       replays& again);

// Returns the change of the given sites to fewer wavefronts: `less` returns how many a site saves.
template <class Less>
std::vector<timing::changed_instruction> wavefront_changes_of(const launch_report& r,
                                                              const std::vector<std::size_t>& sites,
                                                              const timing::launch_trace& t, Less less) {
  std::vector<timing::changed_instruction> list;
  for (const std::size_t i : sites) {
    const site& s = r.sites[i];
    if (!is_access(s) || s.wavefronts == 0 || less(i) == 0) continue;
    if (const auto code = t.code_at(s.function, s.pc))
      list.push_back({*code, {.wavefronts = 1 - static_cast<float>(less(i)) / static_cast<float>(s.wavefronts)}});
  }
  return list;
}

}  // namespace bankwise
