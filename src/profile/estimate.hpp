// Estimates for all blocks of a launch from a sample of them: counts, and intervals that hold nine times of ten.
//
// Blocks of each class (emulate/counting/block_order.hpp) are a stratum: its mean counts as often as it has blocks, and
// a class that no block ran of as the mean of the others. The variance is that of stratified sampling without
// replacement, where each class gets that of all classes as one more observation, since few blocks that happen to be
// equal prove nothing. And there may be blocks that are like none of the sample: so many as n of them miss one time of
// ten, each of which costs nothing, or twice what the largest of the sample do. Where all blocks of the sample did the
// same, that is the whole of the interval.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/counting/block_order.hpp"
#include "emulate/launch/launch.hpp"
#include "model/counts.hpp"

namespace bankwise {

// Numbers are of clusters, which are mostly of one block.
struct block_strata {
  std::array<std::uint64_t, emulate::most_block_classes> sizes{}, ran{};
};

// By class; one that is missing: all of its blocks have 0.
using class_sums = std::map<unsigned, emulate::block_sum>;

struct estimate {
  std::uint64_t value = 0;
  interval within;
};
estimate estimate_of(const block_strata& strata, const class_sums& sums);

// The value that Student's t with so many degrees of freedom exceeds five times of a hundred.
double students_t(std::uint64_t degrees);

}  // namespace bankwise
