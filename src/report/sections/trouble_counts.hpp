// What makes the results of a report doubtful, counted over all launches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/report.hpp"

namespace bankwise {

struct trouble_counts {
  std::size_t races = 0;          // races of shared memory that were seen in launches without --check
  std::size_t out_of_bounds = 0;  // instructions
  std::uint64_t refused = 0;      // launches that CUDA refused
};
trouble_counts count_troubles(const report& r);

}  // namespace bankwise
