#include "profile/delays/delays.hpp"

#include <utility>

namespace bankwise {

std::vector<delay> delays_of(traced_launch& l) {
  for (const auto find :
       {find_grid_delays, find_load_delays, find_arithmetic_delays, find_warp_delays, find_barrier_delays,
        find_code_delays, find_host_delays, find_local_delays, find_product_delays})
    find(l);
  sort_delays(l.found);
  return std::move(l.found);
}

}  // namespace bankwise
