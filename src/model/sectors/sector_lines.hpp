// The lines of a launch whose accesses to global and local memory would touch fewer sectors with a remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sectors/sector_reason.hpp"

namespace bankwise {

// A source line with one kind of problem. An instruction without a line is a separate entry.
struct costly_sectors {
  // indices in launch_report::global_sites; the site that would save most sectors comes first
  std::vector<std::size_t> sites;
  sector_reason worst;                  // the reason for the first site
  std::uint64_t sectors = 0, left = 0;  // sectors of all sites: in this launch, and with the remedies

  std::uint64_t saved() const { return sectors - left; }
};

// Sorted: major problems precede minor ones, and larger savings precede smaller ones.
std::vector<costly_sectors> costly_sector_lines(const launch_report& l);

// Whether a problem is only a hint, not a finding that fails a check. These are misaligned bases, spilled registers,
// and sectors that are loaded again.
bool is_minor(sector_problem p);

}  // namespace bankwise
