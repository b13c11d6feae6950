// The source lines whose accesses to global and local memory would touch fewer sectors with a remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sectors/sector_reason.hpp"

namespace bankwise {

// A source line with one kind of problem. An instruction without a line is a separate entry.
struct costly_sectors {
  // indices in launch_report::global_sites; the site whose remedy saves most sectors is first
  std::vector<std::size_t> sites;
  sector_reason worst;  // the reason for the first site
  // Number of sectors of all sites in this launch, and number of sectors with the remedies.
  std::uint64_t sectors = 0, left = 0;

  std::uint64_t saved() const { return sectors - left; }
};

// Returns the lines, sorted: major problems before minor problems, and larger savings before smaller savings.
std::vector<costly_sectors> costly_sector_lines(const launch_report& l);

// Whether a problem is only a hint. Hints do not fail a check. The minor problems are misaligned bases, spilled
// registers, and sectors that are loaded again.
bool is_minor(sector_problem p);

}  // namespace bankwise
