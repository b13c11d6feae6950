// Loads of global memory that a changed source could request together: those of a loop, or of code outside of loops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

using code_range = std::pair<std::uint32_t, std::uint32_t>;  // the first and the last instruction

struct load_group {
  std::vector<std::uint32_t> loads;
  std::uint32_t place = 0;  // the load that is shown
  bool is_in_loop = false, has_barrier = false;
  bool is_ahead = true;      // whether each value is loaded one round before it is needed
  std::uint64_t times = 0;   // executions of all of them
  std::uint64_t rounds = 1;  // of the loop, each time that a warp comes to it. Outside of loops, the number of loads
  std::optional<std::uint32_t> entry;  // the instruction before the loop, if it is not one of the loads
  std::uint16_t number = 0;            // of the group
  std::uint32_t registers = 0;         // that a round writes

  // Each load is requested with the loads before the last wait.
  change_list early() const {
    change_list list;
    for (const std::uint32_t i : loads) list.push_back({i, {.is_early = true}});
    return list;
  }
  // The loads of several rounds are requested together.
  change_list unrolled(std::uint16_t together) const {
    if (is_in_loop) together = static_cast<std::uint16_t>(together * loads.size());
    change_list list;
    if (entry) list.push_back({*entry, {.loop = number, .enters_loop = true}});
    for (const std::uint32_t i : loads) list.push_back({i, {.together = together, .loop = number}});
    return list;
  }
};

struct load_groups {
  // Loads whose addresses need no loaded values, and loads in chains, by the loop around them.
  std::map<code_range, load_group> late, chained;
};
load_groups load_groups_of(const traced_launch& l);

// Whether a load in a loop needs a value that it read in an earlier round, as in a list or a binary search. Nobody can
// know its addresses in advance, or let neighbouring lanes load neighbouring values.
bool is_search(const traced_launch& l, std::uint32_t load);

// Loads of neighbouring addresses by the same lane, which one wider load could replace: the same registers plus offsets
// that differ by the width.
struct merged_loads {
  struct among {
    bool of_global = true;     // otherwise only loads from shared memory
    bool is_straight = false;  // whether branches between them do not matter, because a change removes them
  };
  change_list changes;      // leaves out the loads after the first of each group, which may need more wavefronts
  std::uint32_t first = 0;  // the first load of the group with the most executions
};
merged_loads merged_loads_of(const traced_launch& l, const merged_loads::among& which);

// The changes after which the loads around an instruction are requested together, because no call or branch separates
// them any more: those of the loop around it, or of the code outside of loops.
change_list loads_together_around(const traced_launch& l, std::uint32_t code);

}  // namespace bankwise
