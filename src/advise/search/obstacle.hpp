// The obstacle to a better layout. In the best layout, one access loses the most wavefronts, because some of its lanes
// share a bank.
#pragma once

#include "advise/search/problem.hpp"
#include "advise/search/relayout.hpp"

namespace bankwise::advise {

class evaluator;

// Why no layout is better than the best layout: these lanes share a bank.
struct obstacle {
  u32 group = 0;
  u32 phase = 0, lanes = 0, bank = 0, wavefronts = 0, floor = 0;
  bool by_granule = false;  // whether only layouts that split granules can separate the lanes
};

obstacle find_obstacle(const problem& p, const evaluator& e, const relayout& layout);

}  // namespace bankwise::advise
