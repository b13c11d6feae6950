// The ranked rows of a result, for one of its GPUs.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/ranking.hpp"
#include "tune/tuned.hpp"

namespace bankwise::tune {

struct ranked_rows {
  std::vector<std::size_t> rows;  // indices into tuned::rows, the fastest first; without rows that are not ranked
  ranking of;                     // its `order` is that of `rows` before they were sorted
};
ranked_rows rank_rows(const tuned& t, std::size_t gpu);

}  // namespace bankwise::tune
