#include "profile/delays/delays.hpp"

#include <algorithm>
#include <utility>

namespace bankwise {

namespace {

// Both more warps and more loads of each warp hide the latency of memory. If they save about as much, a change of a loop
// is easier than another division of the work.
void prefer_loops(std::vector<delay>& list, const timing::launch_trace& t) {
  const auto warps = std::find_if(list.begin(), list.end(),
                                  [](const delay& d) { return d.is == delay_kind::few_blocks && !d.about.empty(); });
  if (warps == list.end()) return;
  const bool is_easier = std::any_of(list.begin(), list.end(), [&](const delay& d) {
    return d.is == delay_kind::late_loads && d.saved_cycles * 4 >= warps->saved_cycles * 3;
  });
  if (is_easier && loads_neighbours(t)) list.erase(warps);
}

// More resident warps also hide a chain of loads. If they save about as much, other resources of a block are easier to
// change than a data structure.
void prefer_occupancy(std::vector<delay>& list) {
  const auto occupancy =
      std::find_if(list.begin(), list.end(), [](const delay& d) { return d.is == delay_kind::low_occupancy; });
  if (occupancy == list.end()) return;
  const std::uint64_t most = occupancy->saved_cycles * 4 / 3;
  std::erase_if(list, [&](const delay& d) { return d.is == delay_kind::chained_loads && d.saved_cycles <= most; });
}

// Work that is a chain of loads cannot be divided, so the replay of divided work is only an estimate.
void doubt_division(std::vector<delay>& list) {
  const bool has_chain =
      std::any_of(list.begin(), list.end(), [](const delay& d) { return d.is == delay_kind::chained_loads; });
  for (delay& d : list)
    if (has_chain && d.is == delay_kind::few_blocks) d.estimated_cycles = std::exchange(d.saved_cycles, 0);
}

// If the warp for which others wait does its work with few lanes, both delays are at the branch to this work.
void place_at_branch(traced_launch& l) {
  const auto find = [&](delay_kind k) {
    return std::find_if(l.found.begin(), l.found.end(), [&](const delay& d) { return d.is == k; });
  };
  const auto lanes = find(delay_kind::few_lanes), warps = find(delay_kind::uneven_warps);
  if (lanes == l.found.end() || warps == l.found.end()) return;
  const auto at = l.trace.code_at(warps->place.function, warps->place.pc);
  if (at && l.executed[*at].lanes < l.executed[*at].times * warp_lanes / 2) warps->place = lanes->place;
}

}  // namespace

std::vector<delay> delays_of(traced_launch& l) {
  for (const auto find :
       {find_grid_delays, find_load_delays, find_arithmetic_delays, find_lane_delays, find_warp_delays,
        find_barrier_delays, find_code_delays, find_host_delays, find_local_delays, find_product_delays,
        find_reuse_delays, find_cache_delays, find_pipeline_delays, find_sum_delays})
    find(l);
  place_at_branch(l);
  prefer_loops(l.found, l.trace);
  prefer_occupancy(l.found);
  doubt_division(l.found);
  sort_delays(l.found);
  return std::move(l.found);
}

}  // namespace bankwise
