// What the checkers of a launch found, as rows of its report: with places in the code and the source, blocks and threads,
// and the names of arrays and allocations.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "profile/cluster_races.hpp"
#include "profile/global_races.hpp"
#include "profile/hazards.hpp"
#include "profile/memory_checker.hpp"
#include "profile/sync_checker.hpp"

namespace bankwise {

// The place of the instruction at a device address. It is empty if the address is outside of the code.
code_place place_of(const emulate::launch& l, std::uint64_t address);

// The races on shared memory.
std::vector<hazard> hazards_of(const emulate::launch& l,
                               const std::map<hazard_checker::key, hazard_checker::seen>& found);
// Add the hazards of the other checkers.
void add_memory_hazards(const emulate::launch& l, const emulate::device_memory& memory,
                        const std::map<memory_checker::key, memory_checker::seen>& found, std::vector<hazard>& to);
void add_cluster_hazards(const emulate::launch& l,
                         const std::map<cluster_race_checker::key, cluster_race_checker::seen>& found,
                         std::vector<hazard>& to);
void add_sync_hazards(const emulate::launch& l, const std::map<sync_checker::key, sync_checker::seen>& found,
                      std::vector<hazard>& to);

std::vector<out_of_bounds_access> out_of_bounds_of(const emulate::launch& l,
                                                   const emulate::out_of_bounds_accesses& found);
// Races of blocks on global memory: on which counts depend, and those that a check found.
std::vector<block_race> block_races_of(const emulate::launch& l, const std::vector<emulate::block_race>& found);
std::vector<block_race> block_races_of(const emulate::launch& l, const emulate::device_memory& memory,
                                       const std::vector<global_race>& found);

}  // namespace bankwise
