// The lines of a launch whose accesses to global and local memory would touch fewer sectors with a remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sectors/sector_reason.hpp"

namespace bankwise {

// A source line with one kind of problem. An instruction without a line is a separate entry.
struct costly_sectors {
  std::vector<std::size_t> sites;       // indices in launch_report::global_sites, the one with most to save first
  sector_reason worst;                  // the reason of the first site
  std::uint64_t sectors = 0, left = 0;  // sectors of all sites, now and with the remedies

  std::uint64_t saved() const { return sectors - left; }
};

// A line without minor problems comes first, then the one with most to save.
std::vector<costly_sectors> costly_sector_lines(const launch_report& l);

// A hint, not a finding that fails a check: misaligned bases, spilled registers, sectors that are loaded again.
bool is_minor(sector_problem p);

}  // namespace bankwise
