// Estimates counts for all blocks of a launch from a sample of the blocks. Each estimate has an interval, which
// contains the true count in nine of ten cases.
//
// Each class of blocks (emulate/counting/block_order.hpp) is a stratum. Its mean is weighted with its number of blocks.
// A class without executed blocks gets the mean of the other classes. The variance is that of stratified sampling
// without replacement. A few equal blocks do not prove that all blocks of a class are equal. Each class therefore gets
// one more observation: the variance over all classes.
//
// A launch may contain kinds of blocks that are not in the sample. In one of ten cases, a sample of n blocks contains
// no block of a kind that makes up ln(10) / n of all blocks. The missing blocks are therefore assumed to be this share
// of all blocks. The interval covers two extremes: each missing block has no counts, or twice the counts of the largest
// block in the sample. If all blocks of the sample are equal, only the missing blocks determine the interval.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/counting/block_order.hpp"
#include "emulate/launch/launch.hpp"
#include "model/counts.hpp"

namespace bankwise {

// Number of clusters in each class. A cluster is usually one block.
struct block_strata {
  std::array<std::uint64_t, emulate::most_block_classes> sizes{}, ran{};
};

// Sums by class. They are 0 for a class without executed blocks.
using class_sums = std::map<unsigned, emulate::block_sum>;

struct estimate {
  std::uint64_t value = 0;
  interval within;
};
estimate estimate_of(const block_strata& strata, const class_sums& sums);

// Returns the value that Student's t exceeds in five of a hundred cases, for this number of degrees of freedom.
double students_t(std::uint64_t degrees);

}  // namespace bankwise
