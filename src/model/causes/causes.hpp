// A cause: what costs time in several places of a launch, and what one change removes in all of them.
//
//     a layout of tile[32][32]      transpose.cu:18, 22            sites 4, 9
//     exchanged axes of threads     stencil.cu:11, 13, 14, 15      global sites 0, 1, 2, 3
//     one wider load                transform_points.cu:9          global site 2 (BW505), delay 0 (BW612)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

// Gives the instructions and delays of a launch the number of their cause, from 1. Those that have no other place in
// common with them keep 0.
void number_causes(launch_report& l);

// The places of a cause: indices in launch_report.
struct cause_places {
  std::vector<std::size_t> sites, global_sites, delays;
};
// Returns the places of each cause, in the order of the numbers.
std::vector<cause_places> causes_of(const launch_report& l);

}  // namespace bankwise
