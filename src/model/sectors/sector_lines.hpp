// The source lines whose accesses to global and local memory touch fewer sectors with a remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sectors/sector_reason.hpp"

namespace bankwise {

// A source line with one kind of problem. An instruction without a line is a separate entry.
struct costly_sectors {
  // indices in launch_report::global_sites; the site with the most effective remedy is first
  std::vector<std::size_t> sites;
  sector_reason worst;  // the reason for the first site
  // The number of sectors of all sites in this launch, and the number with the remedies.
  std::uint64_t sectors = 0, left = 0;

  std::uint64_t saved() const { return sectors - left; }
};

// Returns the lines, sorted: major problems before minor problems, and larger savings before smaller savings.
std::vector<costly_sectors> costly_sector_lines(const launch_report& l);

// Whether a problem is minor. Minor problems are hints, and a check does not fail because of them. They are misaligned
// bases, spilled registers, and sectors that are loaded again.
bool is_minor(sector_problem p);

}  // namespace bankwise
