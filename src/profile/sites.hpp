// Makes the sites of a report from the counts of each instruction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "cubin/program.hpp"
#include "model/report.hpp"
#include "profile/collect.hpp"
#include "profile/global_counts.hpp"

namespace bankwise {

// Creates the report of a launch of `k`, without sites.
launch_report begin_report(const cubin::kernel& k, const std::array<std::uint32_t, 3>& grid,
                           const std::array<std::uint32_t, 3>& block, std::uint32_t dynamic_shared_bytes);

// Adds the sites of a launch of `k`, and the sums over the sites. The counts of each instruction, by device address,
// determine the sites. Returns the device address of each site. `estimate` scales the counts of a sample to all blocks.
std::vector<std::uint64_t> add_sites(launch_report& r, const cubin::program& p, const cubin::kernel& k,
                                     const machine& on, const std::map<std::uint64_t, collector::tally>& seen,
                                     const std::function<void(site&, std::uint64_t pc)>& estimate = {});

// Returns the sites on global and local memory, textures and surfaces, from the counts of each instruction. `estimate`
// scales the counts of a sample to all blocks.
std::vector<global_site> global_sites_of(const cubin::program& p, const cubin::kernel& k, global_collector& heard,
                                         const std::function<void(global_site&, std::uint64_t pc)>& estimate = {});

// Returns all counts of an instruction. Pending patterns must already be added.
counts counts_of(const collector::tally& seen);

}  // namespace bankwise
