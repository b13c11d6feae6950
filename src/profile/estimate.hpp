// Estimates counts for all blocks of a launch from a sample of its blocks. Each estimate has an interval, which
// contains the true count in nine of ten cases.
//
// Each class of blocks (emulate/counting/block_order.hpp) is a stratum, whose mean is weighted with its number of
// blocks. A class without executed blocks gets the mean of the other classes. The variance is that of stratified
// sampling without replacement. A few equal blocks do not prove that all blocks of a class are equal. The variance over
// all classes is therefore added to each class as one more observation.
//
// A launch may contain kinds of blocks that are not in the sample. Their assumed number is the number that a sample of
// n blocks misses in one of ten cases. The interval covers two extremes: that each of these blocks has no counts, and
// that each has twice the counts of the largest block of the sample. If all blocks of the sample are equal, the
// interval contains only this uncertainty.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/counting/block_order.hpp"
#include "emulate/launch/launch.hpp"
#include "model/counts.hpp"

namespace bankwise {

// The number of clusters in each class. A cluster is usually one block.
struct block_strata {
  std::array<std::uint64_t, emulate::most_block_classes> sizes{}, ran{};
};

// Sums by class. The counts of all blocks of a missing class are 0.
using class_sums = std::map<unsigned, emulate::block_sum>;

struct estimate {
  std::uint64_t value = 0;
  interval within;
};
estimate estimate_of(const block_strata& strata, const class_sums& sums);

// Returns the value that Student's t with this number of degrees of freedom exceeds in five of a hundred cases.
double students_t(std::uint64_t degrees);

}  // namespace bankwise
