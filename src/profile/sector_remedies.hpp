// What the remedies for accesses to global and local memory change in a replay.
#pragma once

#include <cstdint>
#include <vector>

#include "model/launch.hpp"
#include "model/sectors/sector_lines.hpp"
#include "timing/launch/launch_time.hpp"

namespace bankwise {

struct sector_remedy {
  std::uint64_t fewer = 0;  // sectors that it saves
  timing::sector_form form = timing::sector_form::packed;
};

// Returns the remedy of each site of global_sites. It changes nothing at sites that are not in these lines.
std::vector<sector_remedy> sector_remedies_of(const launch_report& r, const std::vector<costly_sectors>& lines);

// Returns changes for the given sites, so that each instruction has the sectors that its remedy leaves.
std::vector<timing::changed_instruction> sector_changes_of(const launch_report& r,
                                                           const std::vector<std::size_t>& sites,
                                                           const timing::launch_trace& t,
                                                           const std::vector<sector_remedy>& remedies);

}  // namespace bankwise
