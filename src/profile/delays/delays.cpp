#include "profile/delays/delays.hpp"

#include <utility>

namespace bankwise {

std::vector<delay> delays_of(traced_launch& l) {
  for (const auto find : {find_grid_delays, find_load_delays, find_arithmetic_delays, find_warp_delays}) find(l);
  sort_delays(l.found);
  return std::move(l.found);
}

}  // namespace bankwise
